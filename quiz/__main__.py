"""`python -m quiz`: the same as the command `quiz`."""

from quiz.cli import main

main()
