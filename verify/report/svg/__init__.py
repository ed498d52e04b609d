"""Evidence as pictures for a page: pure functions from readings to one SVG element as a string.

Colours come from the page, by class name, so that one picture serves light, dark and print. What a
picture says stands in its `<title>` and `<desc>` too, words in both languages (SVG 2, 5.7) and
figures once, and the numbers behind its lengths in `data-` attributes. A page holds hundreds, so
they are short: no namespace, which HTML doesn't need, and paths for many boxes of a kind.
"""
