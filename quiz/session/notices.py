"""What a sitting says besides questions and answers."""

from __future__ import annotations

from quiz.events import EventKind
from verify.api import Text

NO_HINT = Text(ja="この問題にヒントはありません。", en="This card has no hint.")
NO_PROOF = Text(ja="この問題には測定がありません。", en="This card has nothing to measure.")
NOTHING_TO_UNDO = Text(
    ja="この回でまだ解答していないので、取り消すものはありません。",
    en="Nothing has been answered in this sitting, so there is nothing to undo.",
)
BACK = Text(ja="取り消しました。この問題に戻ります。", en="Undone. The card is back.")
UNDONE = Text(ja="取り消しました。もう一度答えてください。", en="Undone. Answer it once more.")
CANNOT_ASK = Text(
    ja="{card} は出題できないので飛ばします。", en="{card} can't be asked and is left out."
)
LEECH = Text(
    ja="この問題を忘れたのは {times} 回目です。問題を分けるか、覚え方を変えてみてください。",
    en="Forgotten {times} times: split this card, or find another way to remember it.",
)
NO_SUCH_CHOICE = Text(ja="その選択肢はありません。", en="There is no such choice.")
NOTHING_TO_MARK = Text(ja="いま対象になる問題がありません。", en="There is no card to do that to.")
MARKS = {
    (EventKind.SUSPEND, True): Text(
        ja="この問題を休止しました。もう出題しません。",
        en="Suspended: this card isn't asked any more.",
    ),
    (EventKind.BURY, True): Text(
        ja="この問題を明日に回しました。", en="Put off: this card comes back tomorrow."
    ),
    (EventKind.FLAG, True): Text(ja="目印を付けました。", en="Flagged."),
    (EventKind.FLAG, False): Text(ja="目印を外しました。", en="The flag is gone."),
}
