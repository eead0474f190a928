"""Problems of our own in the formats that the readers take."""

from __future__ import annotations

import json
from typing import Any

ROWS: tuple[dict[str, Any], ...] = (
    {
        "problem_id": "right",
        "text_en": "As shown in the diagram, BC=6, AC=8, BC is perpendicular to AC. Find the length of AB.",
        "answer": "10",
        "construction_cdl": ["Shape(AB,BC,CA)"],
        "text_cdl": ["Equal(LengthOfLine(BC),6)", "Equal(LengthOfLine(AC),8)", "PerpendicularBetweenLine(BC,AC)"],
        "point_positions": {"A": [10.0, 20.0], "B": [205.0, 170.0], "C": [208.0, 18.0]},
        "diagram_logic_forms": [],
    },
    {
        "problem_id": "circle",
        "text_en": "As shown in the diagram, PT is tangent to circle O, OT=5, angle OPT = 2*x+10. Find x.",
        "answer": "12",
        "split": "test",
        "construction_cdl": ["Shape(OT,TP,PO)", "Cocircular(O,T)"],
        "text_cdl": [
            "IsTangentOfCircle(PT,O)",
            "IsCentreOfCircle(O,O)",
            "Equal(LengthOfLine(OT),5)",
            "Equal(MeasureOfAngle(OPT),2*x+10)",
            "Equal(AreaOfTriangle(OTP),30)",
        ],
        "point_positions": {"O": [0.0, 0.0], "T": [3.0, 51.0], "P": [118.0, 40.0]},
        "diagram_logic_forms": ["PointLiesOnCircle(T, Circle(O, radius_0_0))"],
    },
)


def write_rows(*rows: dict[str, Any]) -> str:
    """Rows as JSONL."""
    return "".join(json.dumps(row) + "\n" for row in rows)
