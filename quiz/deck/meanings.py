"""What each key of a deck means, for the editor that shows it: `quiz.deck.json_schema`."""

from __future__ import annotations

from collections.abc import Mapping

from verify.api import Text

DECK: Mapping[str, Text] = {
    "deck": Text(
        ja="デッキの id。カードは、ファイル名によらず「deck/card」で区別されます。",
        en="The deck's id. A card is known as deck/card, whatever the file is called.",
    ),
    "title": Text(ja="画面に出る題名。", en="The title on the screen."),
    "cards": Text(ja="カードの一覧。", en="The cards."),
}
CARD: Mapping[str, Text] = {
    "id": Text(
        ja="デッキの中で一つだけの id。変えると、それまでの記録とのつながりが切れます。",
        en="Unique within the deck. Changing it cuts the card off from its history.",
    ),
    "kind": Text(
        ja="recall: 思い出して自分で採点。trap: 正解と誤答から選ぶ。compute: 数と単位で答える。",
        en="recall: say it, then grade yourself. trap: choose between the truth and lures. "
        "compute: a number with a unit.",
    ),
    "ask": Text(
        ja="問い。{name} は vary のキーのときだけ値に置き換わります。",
        en="The question. {name} is filled in where vary has that key.",
    ),
    "topic": Text(
        ja="話題。--topic で選べ、成績は話題ごとに出ます。",
        en="The topic: --topic chooses by it, and results are told by it.",
    ),
    "source": Text(ja="答えの根拠となる資料。", en="Where the answer comes from."),
    "explain": Text(ja="答えのあとに出る説明。", en="Why it is so, shown after the answer."),
    "hint": Text(ja="h キーで出るヒント。", en="What the key h shows."),
    "after": Text(
        ja="先に覚えておくカード。同じデッキなら card、別のデッキなら deck/card。",
        en="Cards to know first: card in the same deck, deck/card in another.",
    ),
    "idea": Text(
        ja="同じ考えを問うカードに共通の名前。続けて出題されません。",
        en="A name shared by cards that ask the same idea, so that they come apart.",
    ),
    "proof": Text(
        ja="答えを確かめる実行と、その結果について成り立つべきこと。",
        en="The runs that prove the card, and what must hold of them.",
    ),
    "answer": Text(ja="答え(recall)。", en="The answer (recall)."),
    "choices": Text(
        ja="選択肢(trap)。belief のないものが一つだけあり、それが正解です。",
        en="The choices (trap). Exactly one has no belief: the truth.",
    ),
    "vary": Text(
        ja="出題のたびに変わる値(compute)。大きさは 4 MiB のように書きます。",
        en="Values that change with each asking (compute). Write sizes as 4 MiB.",
    ),
    "result": Text(
        ja="正解の式(compute)。vary の名前を使います。例: 2*(ranks-1)/ranks*payload",
        en="The formula of the answer (compute), over the names of vary, such as "
        "2*(ranks-1)/ranks*payload",
    ),
    "lures": Text(
        ja="間違えたときに出やすい値(compute)。", en="Results that a wrong belief gives (compute)."
    ),
    "unit": Text(ja="答えの単位の例。例: MiB", en="The unit to answer in, such as MiB."),
}
CHOICE: Mapping[str, Text] = {
    "text": Text(ja="選択肢の文。", en="What the choice says."),
    "claim": Text(
        ja="文の内容を量で表した主張。正解なら確認され、誤答なら反証されます。"
        "例: wire_sent == payload ± 1%",
        en="What the text says, about quantities: to be confirmed of the truth and refuted of a "
        "lure. Example: wire_sent == payload ± 1%",
    ),
    "belief": Text(
        ja="誤答のもとになる考えの名前。記録に残るので変えないでください。正解には書きません。",
        en="A stable name for the belief behind a lure; it is logged. The truth has none.",
    ),
    "why": Text(
        ja="なぜそう思うのか、何がそれを反証するのか。", en="Why it tempts, and what refutes it."
    ),
    "unless": Text(
        ja="この主張が反証されるはずの故障。0 や不等式についての正解に必要です。",
        en="A fault under which the claim must fail; needed by truths about zero and inequalities.",
    ),
}
LURE: Mapping[str, Text] = {
    "result": Text(ja="その考えから出る値の式。", en="The formula that the belief leads to."),
    "belief": CHOICE["belief"],
    "why": CHOICE["why"],
}
PROOF: Mapping[str, Text] = {
    "experiment": Text(
        ja="実験の名前。一覧: quiz verify list", en="The experiment. For a list: quiz verify list"
    ),
    "with": Text(
        ja="実験のパラメータ。詳しくは quiz verify show 実験名。",
        en="The experiment's parameters; see quiz verify show NAME.",
    ),
    "fault": Text(ja="わざと入れる故障。", en="A fault to run it with, on purpose."),
    "runs": Text(
        ja="比べる実行。主張では run.wire_sent のように名前を付けます。",
        en="Several runs to compare; claims say run.wire_sent.",
    ),
    "truth": Text(ja="どの実行でも確認される主張。", en="Claims to be confirmed by every run."),
}
TRUTH: Mapping[str, Text] = {"claim": PROOF["truth"], "unless": CHOICE["unless"]}
LANGUAGE: Mapping[str, Text] = {
    "ja": Text(ja="日本語の文。", en="The text in Japanese."),
    "en": Text(ja="英語の文。", en="The text in English."),
}
