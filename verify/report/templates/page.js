"use strict";
// Comfort only: without this script the page is whole and in the language chosen above.

const form = document.getElementById("filter");
if (form) {
  const cards = [...document.querySelectorAll("[data-card]")];
  const filter = () => {
    const wanted = [...new FormData(form)].filter(([, value]) => value !== "");
    for (const card of cards)
      card.hidden = !wanted.every(([name, value]) => card.dataset[name] === value);
    for (const group of document.querySelectorAll("[data-group]"))
      group.hidden = !group.querySelector("[data-card]:not([hidden])");
    document.getElementById("shown").value =
      document.querySelectorAll(".index [data-card]:not([hidden])").length;
  };
  form.hidden = false;
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter(); // a reload keeps what was chosen
}

const speak = () => {
  const chosen = document.querySelector("input[name=language]:checked");
  const language = chosen.value;
  document.documentElement.lang = language;
  document.title = chosen.dataset.title;
  // Readers take the first title and description of a picture.
  for (const svg of document.querySelectorAll("svg"))
    for (const tag of ["desc", "title"]) {
      const own = svg.querySelector(`:scope > ${tag}[lang=${language}]`);
      if (own && own !== svg.querySelector(`:scope > ${tag}`)) svg.prepend(own);
    }
};
for (const choice of document.querySelectorAll("input[name=language]"))
  choice.addEventListener("change", speak);
speak();
