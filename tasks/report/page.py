"""The report's page: counts and views put into words, numbers formatted, and the template filled.

Everything from the dataset goes through Jinja's autoescape; only our own style, script and charts are trusted.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from markupsafe import Markup

from counterfoil.storage.changes import UNMEASURED
from counterfoil.storage.grades import MEANINGS, OPEN, count_open, tell_grades
from counterfoil.tasks.audit.review.rates import Review
from counterfoil.tasks.engine.reasons import explain_reason
from counterfoil.tasks.engine.registry import find_domain
from counterfoil.tasks.report.charts import draw_histogram, draw_meter
from counterfoil.tasks.report.concreteness import PAPER
from counterfoil.tasks.report.facts import FamilyCount, ReportData, Spending
from counterfoil.tasks.report.parts import First, Shelved
from counterfoil.tasks.report.sentences import find_blind
from counterfoil.tasks.report.tallies import Histogram, Tally
from counterfoil.tasks.report.view import Difficulty
from counterfoil.tasks.report.web import read_script, read_style, render
from counterfoil.tasks.showing.texts import clean

CONCRETENESS_NOTE = (
    "Ratings of the exchanged keywords, 1 to 5 (Concrete Jungle, Table 1 and Fig. 5), and how they go with the number "
    "of words changed and with the likeness of the pictures."
)
_NO_LIKENESS = (
    "The table's columns by models (accuracies, BERTScore, CLIP, DINO) are left out: name models with "
    "`counterfoil report DATASET --clip MODEL --dino MODEL --bert MODEL`."
)
_LIKENESS = (
    ("I2T accuracy", "image_to_text", "clip"),
    ("T2I accuracy", "text_to_image", "clip"),
    ("BERTScore", "bert", "bert"),
    ("CLIP-L", "clip_texts", "clip"),
    ("CLIP-V", "clip_images", "clip"),
    ("DINOScore", "dino", "dino"),
)
"""Columns of the table by models: what the paper calls it, where it is, and which model it needs."""
_BARE_TOML_KEY = re.compile(r"[A-Za-z0-9_-]+")
_USER_IN_URL = re.compile(r"(?<=://)[^/@\s\"]*@")


@dataclass(frozen=True)
class TraitRow:
    """How many anchors have one value of a trait, their share, and its share in each set beside."""

    value: str
    count: int
    share: float
    beside: tuple[float, ...]


@dataclass(frozen=True)
class TraitTable:
    """The values of one trait of a domain's anchors; ``beside`` names the sets of the other columns."""

    domain: str
    trait: str
    beside: tuple[str, ...]
    rows: tuple[TraitRow, ...]


@dataclass(frozen=True)
class FamilyRow:
    """A family's counts in the order and form in which the page shows them."""

    name: str
    is_anchor: bool
    roles: tuple[str, ...]
    modalities: tuple[str, ...]
    accepted: int
    left: int
    """Of these, rows that nothing is shown of."""
    mean: float
    target: int
    full_share: float
    kinds: tuple[tuple[str, int], ...]
    rejected: int
    reasons: tuple[tuple[str, int], ...]
    short_anchors: int
    shortfalls: tuple[tuple[str, int], ...]
    grades: Mapping[str, int]
    negatives: int
    changes: str
    """What its negatives change, in shares; "" where that is not measured."""
    found: str
    """How near what was found lies; "" where it was made."""


def render_page(
    data: ReportData,
    parts: Shelved,
    outline: Mapping[str, Any],
    difficulty: Mapping[str, Difficulty],
    first: First | None = None,
) -> str:
    """The whole HTML file as text. The same data gives the same text.

    ``outline`` tells the page's script where its parts are, ``difficulty`` is that of the shown negatives by family,
    and ``first`` is the part that needs no script.
    """
    style, script = read_style(), read_script()
    name = redact_url(data.name)
    recipe = data.making.get("recipe")
    return render(
        "report.html.j2",
        data=data,
        parts=Shelved({name: Markup(content) for name, content in parts.inline.items()}, parts.folder),
        outline=_dump_json(outline),
        first={"name": first.name, "html": Markup(first.html)} if first else None,
        title=clean(str((recipe or {}).get("dataset", {}).get("title") or _last_part(name))),
        command_name=clean(name),
        sentence=describe_dataset(data),
        figures=_list_figures(data),
        making=_list_making(data),
        families=[_build_family_row(family) for family in data.families],
        traits=list(_list_traits(data)),
        difficulty=_list_difficulty(data, difficulty),
        grades=data.grades,
        grade_meanings=MEANINGS,
        open_grades=OPEN,
        rejected=data.rejected,
        samples_note=_describe_samples(data),
        rejects_note="What the checks refused, kept with its reasons. A row may have several; a few of each are shown.",
        reject_codes=_list_reject_codes(data),
        explain=lambda code, family: explain_reason(code, family.partition(".")[0]),
        spending_note=_describe_spending(data),
        looks_note=_describe_looks(data),
        concreteness_note=CONCRETENESS_NOTE,
        likeness_note=_describe_likeness(data),
        table_one=_list_table_one(data),
        setting=((data.making.get("recipe") or {}).get("caption") or {}).get("concreteness", ""),
        likeness_columns=[(name, where) for name, where, _ in _list_likeness(data)],
        draw_ratings=lambda each: draw_histogram(
            each.histogram, f"Concreteness in {each.family}", "rating, 1 to 5", 1.0, 2
        ),
        review_note=_describe_review(data.review) if data.review else "",
        usd=format_usd,
        written=[(each.name, kind, *found) for each in data.families for kind, found in each.written.items()],
        yields=[_describe_yield(each) for each in data.making.get("yields") or ()],
        recipe=_USER_IN_URL.sub("", clean(dump_toml(recipe))) if recipe else "",
        charts=_draw_charts(data, difficulty),
        percent=format_percent,
        meter=draw_meter,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def describe_dataset(data: ReportData) -> str:
    """What the dataset is, in a sentence or two. Rows of which nothing is shown are counted apart from the rest."""
    anchors = _join(list(_count_by_name(data)))
    if not data.contrasts:
        return f"{anchors or 'No anchor'}, with no contrast yet."
    roles = Counter({"negative": 0, "positive": 0})
    for family in data.families:
        roles.update(family.shown)
    made = _join([f"{count:,} {role}{'s' * (count != 1)}" for role, count in roles.items() if count])
    number = sum(1 for family in data.families if family.accepted)
    families = f"in {number} {'family' if number == 1 else 'families'}"
    grades = data.grades
    shown = {grade: count for grade, count in grades.items() if grade not in OPEN}
    by_grade = f" ({tell_grades(shown)})" if len(shown) > 1 else ""
    told = f"{anchors}, each with contrasts that passed their checks: {made}{by_grade} {families}."
    if not shown:
        told = f"{anchors}, with contrasts {families} of which nothing is shown."
    left = {grade: count for grade, count in grades.items() if grade in OPEN}
    return f"{told} Apart from these: {tell_grades(left)}." if left else told


def _count_by_name(data: ReportData) -> Iterator[str]:
    """``60 drawn scenes with captions``: a domain's anchors by what its sources call theirs."""
    for domain in data.domains:
        counts: Counter[tuple[str, str]] = Counter()
        for source, number in domain.sources.items():
            counts[_name_anchors(domain.name, source)] += number
        for names, number in counts.items():
            yield f"{number:,} {names[number != 1]}"


def _list_traits(data: ReportData) -> Iterator[TraitTable]:
    """What a domain's anchors are, beside the sets that people made."""
    for domain in data.domains:
        here = find_domain(domain.name)
        usual = here.usual if here is not None else {}
        for trait, counts in domain.traits.items():
            beside = {name: shares[trait] for name, shares in usual.items() if trait in shares}
            values = dict.fromkeys([*counts, *(value for shares in beside.values() for value in shares)])
            rows = tuple(
                TraitRow(
                    value,
                    counts.get(value, 0),
                    counts.get(value, 0) / domain.anchors,
                    tuple(shares.get(value, 0.0) for shares in beside.values()),
                )
                for value in (sorted(values) if any(value[:1].isdigit() for value in values) else values)
            )
            yield TraitTable(domain.name, trait, tuple(beside), rows)


def _name_anchors(domain: str, source: str) -> tuple[str, str]:
    """One anchor and several of a source; plain words where the domain is not installed or knows no such source."""
    here = find_domain(domain)
    known = here.sources.get(source) if here is not None else None
    return known.anchors if known is not None else (f"{domain} anchor", f"{domain} anchors")


def dump_toml(recipe: Mapping[str, Any]) -> str:
    """A recipe's plain data as TOML; keys without a value are left out."""
    lines: list[str] = []
    _dump_table(recipe, "", lines)
    return "\n".join(lines).strip()


def redact_url(url: str) -> str:
    """A dataset's address without user, password and query, which may hold keys.

    >>> redact_url("s3://key:secret@bucket/night?token=1")
    's3://bucket/night'
    """
    if "://" not in url:
        return url
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def format_percent(share: float) -> str:
    """A share as per cent, never rounded to a 0 % or 100 % that it is not.

    >>> format_percent(0.99996), format_percent(0.0002), format_percent(0.5)
    ('>99.9 %', '<0.1 %', '50.0 %')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.001:
        return "<0.1 %"
    return ">99.9 %" if share > 0.999 else f"{100 * share:.1f} %"


def format_usd(spending: Spending) -> str:
    """What it cost, or that the price is unknown; never a guess."""
    if spending.unpriced == spending.requests:
        return "unknown"
    known = f"{spending.usd:,.4f}"
    return f"{known} and {spending.unpriced:,} requests of unknown price" if spending.unpriced else known


def _dump_json(value: Any) -> Markup:
    """JSON that can stand in a script element: no character of it can end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _last_part(name: str) -> str:
    return name.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or name


def _join(parts: list[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _list_figures(data: ReportData) -> list[tuple[str, str, str]]:
    """The first screen: how many, how pure, how detectable, at what cost, what was thrown away and why; (name, value,
    note)."""
    offered = data.contrasts + data.rejected
    left = count_open(data.grades)
    shown = data.contrasts - left
    per_anchor = f"{shown / data.anchors:.1f} per anchor" if data.anchors else ""
    full = [family for family in data.families if family.sizes]
    filled = sum(family.full_share * family.anchors for family in full)
    wanted = sum(family.anchors for family in full)
    share = f"{format_percent(data.contrasts / offered)} of candidates were accepted" if offered else ""
    most = next(iter(data.reject_reasons.items()), None)
    why = f". Most often ({most[1]:,}): {_explain(most[0], data) or most[0].replace('_', ' ')}" if most else ""
    return [
        ("Anchors", f"{data.anchors:,}", _join([domain.name for domain in data.domains])),
        ("Contrasts accepted", f"{shown:,}", per_anchor),
        *([("Not shown", f"{left:,}", "undecided or unjudged")] if left else []),
        ("Verified", format_percent(shown / data.contrasts) if data.contrasts else "–", _describe_purity(data)),
        _describe_detectability(data),
        _describe_cost(data),
        ("Thrown away", f"{data.rejected:,}", f"{share}{why}" if data.rejected else "nothing was refused"),
        ("Full number", format_percent(filled / wanted) if wanted else "–", "of anchors have all that was asked for"),
    ]


def _describe_purity(data: ReportData) -> str:
    """How far contrasts are shown to be what their role says, and what people found."""
    verified = "of contrasts are shown to be what their role says"
    rates = [rate for rate in data.review.rates if rate.role == "negative"] if data.review else []
    judged = sum(rate.rows - rate.doubtful for rate in rates)
    if not judged:
        return f"{verified}; people have judged none"
    return f"{verified}; people found {format_percent(sum(rate.errors for rate in rates) / judged)} false negatives"


def _describe_detectability(data: ReportData) -> tuple[str, str, str]:
    name = "Highest blind accuracy"
    found = {family: share for family, (share, _, _) in find_blind(data.audits, data.gate).items() if share is not None}
    if not found:
        return name, "–", "no family was judged; run `counterfoil audit`"
    family, share = max(found.items(), key=lambda each: (each[1], each[0]))
    judged = {key: each for key, each in data.gate.get("families", {}).items() if not each["unjudged"]}
    over = sum(each["verdict"] in ("over", "accepted") for each in judged.values())
    note = f"{family} of {len(found)} judged families; chance is 50 %"
    return name, format_percent(share), f"{note}. Over the run's limit: {over} of {len(judged)}" if judged else note


def _describe_cost(data: ReportData) -> tuple[str, str, str]:
    if not data.spending:
        return "Cost", "0 USD", "no language model was asked"
    requests, unpriced = (sum(getattr(each, key) for each in data.spending) for key in ("requests", "unpriced"))
    if unpriced == requests:
        return "Cost", "unknown", f"{requests:,} requests without a known price"
    missing = f", {unpriced:,} of them without a known price" if unpriced else ""
    return "Cost", f"{sum(each.usd for each in data.spending):,.2f} USD", f"{requests:,} requests{missing}"


@dataclass(frozen=True)
class DifficultyRow:
    """A family's cells: what is written, and the share that a bar shows; None for no bar."""

    family: str
    cells: tuple[tuple[str, float | None], ...]


def _list_difficulty(data: ReportData, shown: Mapping[str, Difficulty]) -> list[DifficultyRow]:
    blind = find_blind(data.audits, data.gate)
    rows = []
    for family in data.families:
        change = shown.get(family.name, Difficulty())
        share, in_set, chance = blind.get(family.name, (None, None, None))
        if not family.changes.negatives:
            continue
        cells = (
            (_span(change.words.find_tenths(), 0), None),
            (_span(change.pixels.find_tenths(), 1, " %"), None),
            (_span(family.similarity, 2), family.similarity[1] if family.similarity else None),
            *((format_percent(each), each) if each is not None else ("–", None) for each in (share, in_set)),
            (format_percent(chance) if chance is not None else "–", None),
        )
        rows.append(DifficultyRow(clean(family.name), cells))
    return rows


def _span(tenths: tuple[float, float, float] | None, decimals: int, unit: str = "") -> str:
    """The median with the middle four fifths."""
    if tenths is None:
        return "–"
    low, middle, high = (f"{each:,.{decimals}f}" for each in tenths)
    return f"{middle}{unit} ({low} to {high})"


def _list_making(data: ReportData) -> list[tuple[str, str]]:
    made = data.making
    told = {
        "Sandbox": made.get("sandbox_level"),
        "Author": _join(list(data.authors)) if data.authors else None,
        "Code": _join(list(data.code_versions)) or made.get("code_version"),
        "Seed": (made.get("recipe") or {}).get("dataset", {}).get("seed"),
        "Finished": made.get("finished_at"),
        "Licence": (made.get("recipe") or {}).get("dataset", {}).get("licence"),
    }
    return [(name, clean(str(value))) for name, value in told.items() if value is not None and value != ""]


def _build_family_row(family: FamilyCount) -> FamilyRow:
    def listed(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        return tuple((clean(name), count) for name, count in counts.items())

    is_anchor = family.name == f"{family.domain}.anchor"
    return FamilyRow(
        name=clean(family.name),
        is_anchor=is_anchor,
        roles=tuple(family.roles),
        modalities=tuple(family.modalities),
        accepted=family.anchors if is_anchor else family.accepted,
        left=count_open(family.grades),
        mean=family.mean,
        target=family.target,
        full_share=family.full_share,
        kinds=listed(family.kinds),
        rejected=family.rejected,
        reasons=listed(family.reasons),
        short_anchors=family.short_anchors,
        shortfalls=listed(family.shortfalls),
        grades=family.grades,
        negatives=family.changes.negatives,
        changes=family.changes.describe() if {*family.changes.kinds} - {UNMEASURED} else "",
        found=_describe_found(family),
    )


def _describe_found(family: FamilyCount) -> str:
    if family.ranks is None or family.cosines is None:
        return ""
    low, middle, high = family.ranks
    near, usual, nearest = family.cosines
    return f"rank {middle:,} ({low:,} to {high:,}), cosine {usual:.2f} ({near:.2f} to {nearest:.2f})"


def _describe_samples(data: ReportData) -> str:
    shown = len(data.sampled)
    if shown == data.anchors:
        return f"All {shown:,} anchors, with what was changed marked."
    return f"{shown:,} of {data.anchors:,} anchors, drawn by the hash of their ids. What was changed is marked."


def _list_reject_codes(data: ReportData) -> list[tuple[str, int, float, str]]:
    """(code, rows, rows as a share of the most frequent code's, what it means)."""
    most = max(data.reject_reasons.values(), default=1)
    return [(clean(code), count, count / most, _explain(code, data)) for code, count in data.reject_reasons.items()]


def _explain(code: str, data: ReportData) -> str:
    """What a code means; where domains mean different things by it, each after its name."""
    domains = sorted({family.domain for family in data.families if code in family.reasons})
    meant = {domain: explain_reason(code, domain) for domain in domains}
    if len(set(meant.values())) == 1:
        return next(iter(meant.values()))
    return " ".join(f"{domain.capitalize()}: {sentence}" for domain, sentence in meant.items() if sentence)


def _describe_yield(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a family's rows cost, of what the commit says (`counterfoil.tasks.llm.yields.Yield`)."""
    accepted, tokens = told["accepted"], told["input_tokens"] + told["output_tokens"]
    usd = "unknown" if told["unknown"] else f"{told['cost_usd'] / accepted:,.5f}" if accepted else "–"
    return {**told, "tokens": f"{tokens / accepted:,.0f}" if accepted else "–", "usd": usd}


def _describe_spending(data: ReportData) -> str:
    requests = sum(each.requests for each in data.spending)
    usd = sum(each.usd for each in data.spending)
    unknown = sum(each.unpriced for each in data.spending)
    told = f"{requests:,} requests, {usd:,.4f} USD"
    known = f"{told}, without {unknown:,} requests whose price is unknown." if unknown else f"{told}."
    if unknown == requests:
        known = f"{requests:,} requests of unknown price."
    by_rows = " Summed up over the rows: where rows share requests or repairs were needed, this is not exact."
    return known + (by_rows if data.spending_by_rows else " By the providers' own numbers, each request once.")


def _describe_looks(data: ReportData) -> str:
    answered, agreed = sum(each.answered for each in data.looks), sum(each.agreed for each in data.looks)
    look = ((data.making.get("recipe") or {}).get("author") or {}).get("look") or {}
    share = f" It said what our checks say of {format_percent(agreed / answered)}." if answered else ""
    return clean(
        f"{look.get('kind', '')} {look.get('model') or 'a model'} saw one picture and one caption at a time, blind to "
        f"which row is which, {sum(each.pairs for each in data.looks):,} in all.{share} It decides nothing."
    ).strip()


def _list_likeness(data: ReportData) -> list[tuple[str, str, str]]:
    """The columns by models that some family has."""
    return [column for column in _LIKENESS if any(getattr(each, column[1]) is not None for each in data.likeness)]


def _list_table_one(data: ReportData) -> list[tuple[str, list[str], list[str]]]:
    """Concrete Jungle's Table 1 in its nine rows: a name, each family's figure, and the paper's three."""
    names = {"mean": "Mean concreteness", "median": "Median concreteness", "keywords": "Unique words"}
    names |= {where: name for name, where, _ in _LIKENESS}
    likeness = {each.family: each for each in data.likeness}
    rows = []
    for where, paper in PAPER.items():
        own = [
            getattr(each, where, None) or getattr(likeness.get(each.family), where, None) for each in data.concreteness
        ]
        form = "{:,.0f}" if where == "keywords" else "{:.2f}" if where in ("mean", "median") else "{:.4f}"
        rows.append(
            (
                names[where],
                ["–" if value is None else form.format(value) for value in own],
                [form.format(value) for value in paper],
            )
        )
    return rows


def _describe_likeness(data: ReportData) -> str:
    """Which models judged how many rows, and which columns are left out."""
    if not data.likeness:
        return _NO_LIKENESS
    judges = data.judges
    named = {"clip": judges.clip, "bert": judges.bert, "dino": judges.dino}
    told = _join([f"{kind.upper()} {clean(name)}" for kind, name in named.items() if name])
    left = [name for name, _, kind in _LIKENESS if not named[kind]]
    missing = f" Left out, as no model was named for them: {_join(left)}." if left else ""
    return (
        f"By {told}, over at most {judges.rows:,} rows of a family: how often the anchor is chosen before its "
        f"contrast, and how alike the two are. BERTScore is F1 without rescaling.{missing}"
    )


def _describe_review(review: Review) -> str:
    judges = f"{len(review.judges)} judge{'s' * (len(review.judges) != 1)}"
    rows = sum(rate.rows for rate in review.rates)
    said = f"{judges} judged {rows:,} rows, blind to what the dataset says of them."
    if review.agreement is not None:
        said += f" Two judges of a row agree in {format_percent(review.agreement)} of {review.pairs:,} pairs."
    if review.gone:
        said += f" {review.gone:,} judged rows are no longer in the dataset."
    return said


def _draw_charts(data: ReportData, difficulty: Mapping[str, Difficulty]) -> list[tuple[str, str, Markup]]:
    words, pixels = Tally(1), Tally(0.1)
    for each in difficulty.values():
        words.add_all(each.words)
        pixels.add_all(each.pixels)
    sizes, kept = "how many contrasts an anchor has, over all anchors", data.histograms
    likeness = "how like a contrast is to its anchor, from 0 to 1, over all rows that state it"
    wanted: tuple[tuple[str, str, Histogram | None, str, str, float, int], ...] = (
        ("Contrasts per anchor", sizes, kept.get("contrasts_per_anchor"), "contrasts", "anchors", 1.0, 0),
        (
            "Caption length",
            "words in an anchor's caption, over all anchors",
            kept.get("caption_words"),
            "words",
            "anchors",
            1.0,
            0,
        ),
        (
            "Changed words",
            "words in which a negative differs, over those shown above",
            words.bin(),
            "words",
            "negatives",
            1.0,
            0,
        ),
        (
            "Changed pixels",
            "pixels in which a negative differs, over those shown above",
            pixels.bin(),
            "% of the picture",
            "negatives",
            1.0,
            1,
        ),
        (
            "Picture size",
            "bytes of a stored picture, over all rows",
            kept.get("picture_bytes"),
            "KB",
            "pictures",
            1 / 1000,
            1,
        ),
        ("Similarity to the anchor", likeness, kept.get("similarity"), "similarity", "contrasts", 1.0, 2),
    )
    return [
        (title, note, draw_histogram(histogram, title, unit, scale, decimals, counted=counted))
        for title, note, histogram, unit, counted, scale, decimals in wanted
        if histogram is not None
    ]


def _dump_table(table: Mapping[str, Any], prefix: str, lines: list[str]) -> None:
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping) and value is not None}
    if prefix and plain:
        lines += ["", f"[{prefix}]"]
    lines += [f"{_name_key(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping):
            _dump_table(value, f"{prefix}.{_name_key(key)}".lstrip("."), lines)


def _name_key(key: str) -> str:
    return key if _BARE_TOML_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
