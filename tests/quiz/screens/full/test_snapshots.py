"""How each screen looks, in both languages, at 80×24 and in 40 columns.

`pytest --snapshot-update` writes them anew; look at each before it is kept.
"""

import pytest


def wrong_and_sure(app):
    question = app.sitting.state.question
    lure = next(choice for choice in question.order if not choice.is_truth)
    return [question.letter(lure), "1"]


SCREENS = {
    "recall": (("recall", "trap"), lambda app: ["enter"]),
    "trap": (("trap", "recall"), wrong_and_sure),
    "compute": (("compute", "trap"), lambda app: [*"6MiB"]),
    "help": (("recall",), lambda app: ["question_mark"]),
    "done": (("trap",), lambda app: [*wrong_and_sure(app), "enter", "s"]),
}


@pytest.mark.parametrize("size", [(80, 24), (40, 24)], ids=["80x24", "40x24"])
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("name", SCREENS)
def test_screen(study, snap_compare, name, language, size):
    cards, keys = SCREENS[name]
    app = study(*cards, language=language, prover=study.prover(known=name == "trap"))

    async def run_before(pilot):
        await pilot.pause()
        await pilot.press(*keys(app))
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=run_before)
