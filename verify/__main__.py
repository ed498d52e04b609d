"""`python -m verify`: list, show, run; also what torchrun starts."""

from verify.cli import main

main()
