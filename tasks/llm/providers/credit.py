"""Whether a refusal says that the account has nothing left to pay with.

Every provider says it in other words and by another status, and an ordinary rate limit often names billing too
("you can increase your rate limit by adding a payment method"; Gemini's limit of a minute speaks of "plan and billing
details"). What is unmistakable counts under any status of a refusal. Words that both use count unless the refusal
asks to wait or names a rate.
"""

from __future__ import annotations

import re

MONEY = r"(?:credits?|balance|funds|prepa(?:id|yments?)|wallet|budget|allowance|(?:billing|spend(?:ing|s)?)(?: hard)?)"
GONE = (
    r"(?:insufficient|not enough|no (?:more|remaining|available)|out of|lacks?|lacking|exhausted|depleted|"
    r"used (?:all|up)|zero|negative|too low|requires? more|need more|do(?:es)? ?n[o']t have (?:any |enough )?|"
    r"has no|have no|without)"
)
OVER = r"(?:exceed(?:s|ed|ing)?|reached|reach|hit|over|used up|ran out of|surpassed|past)"
UNMISTAKABLE = re.compile(
    "|".join(
        (
            # What stands for the case by itself, as a code or a phrase.
            r"insufficient[_ -](?:user[_ -])?(?:credits?|funds|quota|balance)",
            r"billing[_ -](?:error|hard[_ -]limit[_ -]reached|not[_ -]active|disabled)",
            r"payment[_ -]required|exceeded_current_quota|credits?[_ -](?:exhausted|depleted|expired)",
            r"account[_ -](?:deactivated|suspended)|blocked_api_access|out of call volume quota",
            r"arrear|overdue|past due|unpaid|failure to pay",
            r"(?:purchase|buy) (?:some |more |additional |api )*credits|recharge|top[ -]?up|余额不足|欠费|额度不足",
            # Nothing left, in either order.
            rf"{GONE}\W+(?:\w+\W+){{0,4}}?{MONEY}\b",
            rf"\b{MONEY}\b\W+(?:\w+\W+){{0,6}}?"
            r"(?:insufficient|exhausted|depleted|used up|too low|negative|expired|run out|is (?:zero|0))",
            # A limit that is set in money, for a month or for a key.
            rf"{OVER}\W+(?:\w+\W+){{0,6}}?(?:{MONEY}|spend(?:ing)?)\W+(?:\w+\W+){{0,2}}?(?:limit|cap|quota)",
            rf"(?:{MONEY}|spend(?:ing)?)\W+(?:limit|cap|quota)\W+(?:\w+\W+){{0,4}}?{OVER}",
            rf"{OVER}\W+(?:\w+\W+){{0,6}}?(?:monthly|included|prepaid) (?:included )?"
            r"(?:usage|limit|cap|quota|budget|credits?|spend(?:ing)?|allowance)",
            r"monthly (?:usage |spend(?:ing)? |budget )?(?:limit|cap|quota|budget)\W+(?:\w+\W+){0,4}?" + OVER,
            rf"{OVER}\W+(?:\w+\W+){{0,4}}?(?:api )?usage limits?|usage limits?\W+(?:\w+\W+){{0,4}}?{OVER}",
            rf"key (?:total |spend(?:ing)? |usage )?limit\W+(?:\w+\W+){{0,3}}?{OVER}",
            rf"{OVER}\W+(?:\w+\W+){{0,4}}?key limit",
            r"(?:free )?trial (?:\w+ ){0,3}(?:has |have )?(?:expired|ended|is over)",
            # The account itself.
            r"(?:organi[sz]ation|account|workspace|subscription|team|project)\b(?:\W+\S+){0,3}?\W+"
            r"(?:is|has been|was|are) (?:currently )?"
            r"(?:not active|inactive|disabled|deactivated|suspended|on hold|not in good standing|delinquent)",
            r"account is in good standing",
            r"(?:requires?|enable|must have|no) (?:an? )?(?:active |valid )?(?:billing|payment method)\b(?! details)",
            r"(?:valid|active) payment method|payment (?:failed|declined)",
            r"billing (?:account )?(?:is |has been )?(?:disabled|not enabled)",
        )
    ),
    re.IGNORECASE,
)
AMBIGUOUS = re.compile(
    r"exceeded your (?:current |assigned )?quota|quota (?:has been |is )?(?:exceeded|exhausted)|plan and billing|"
    r"billing details|\bcredits?\b|payment method|\bbilling\b|add (?:more )?funds|"
    r"upgrade your plan",
    re.IGNORECASE,
)
"""Words that refusals of credit and rate limits share."""
RATE = re.compile(
    r"rate[ _-]?limit|too many requests|per[ _-]?(?:second|minute|min|hour|day)\b|free-models-per|/ ?min\b|"
    r"\b[RT]P[SMHD]\b|(?:retry|try again|try your request again)\b[^.]{0,20}\b(?:in|after|later|shortly|soon)\b|"
    r"concurren|overloaded|capacity",
    re.IGNORECASE,
)
"""Words by which a refusal asks to wait."""
ADVICE = re.compile(r"\b(?:need more|upgrade|unlock|increase|raise|to get|visit|go to|add \d+)\b", re.IGNORECASE)
OWED = re.compile(rf"{GONE}|{OVER}", re.IGNORECASE)


def says_no_credit(status: int, code: str, message: str) -> bool:
    """Whether a refusal by ``status``, with the provider's own ``code`` and ``message``, is about money.

    >>> says_no_credit(403, "403", "Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys")
    True
    >>> says_no_credit(429, "rate_limit", "Rate limit reached. Raise it by adding a payment method to your account.")
    False
    """
    if status == 402:
        return True
    if not 400 <= status < 500 or status == 404:
        return False
    said = f"{code} {message}".replace("’", "'")
    if UNMISTAKABLE.search(_without_advice(said)):
        return True
    return status != 400 and AMBIGUOUS.search(said) is not None and RATE.search(said) is None


def _without_advice(said: str) -> str:
    """``said`` without the sentences that tell how to raise a rate limit: they name money, and nothing is owed."""
    if not RATE.search(said):
        return said
    sentences = re.split(r"(?<=[.!?])\s+", said)
    return " ".join(each for each in sentences if OWED.search(each) or not ADVICE.search(each))
