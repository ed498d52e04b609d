"""The evidence side: experiments, the worlds they run on, and claims about what they measured."""

EXPERIMENTS = "proofdeck.experiments"  # the group of entry points by which packages bring theirs
