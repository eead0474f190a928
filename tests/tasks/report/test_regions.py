from __future__ import annotations

import pytest
from PIL import Image as Pillow
from PIL import ImageDraw

from counterfoil.tasks.report.regions import Box, compare_pictures


def draw(*boxes: Box, size: tuple[int, int] = (320, 240)) -> Pillow.Image:
    picture = Pillow.new("RGB", size, "white")
    pen = ImageDraw.Draw(picture)
    pen.line((10, 200, 300, 200), fill="black", width=2)
    for x0, y0, x1, y1 in boxes:
        pen.rectangle((x0, y0, x1 - 1, y1 - 1), fill="black")
    return picture


def encloses(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def test_each_change_has_a_close_box() -> None:
    label, dot = (40, 40, 60, 54), (250, 100, 256, 106)
    difference = compare_pictures(draw(), draw(label, dot))
    assert len(difference.boxes) == 2
    for box, change in zip(difference.boxes, (label, dot), strict=True):
        assert encloses(box, change)
        assert (box[2] - box[0]) - (change[2] - change[0]) <= 8
    assert difference.share == pytest.approx((20 * 14 + 6 * 6) / (320 * 240))


def test_equal_pictures_have_no_box_and_faint_noise_is_none() -> None:
    assert compare_pictures(draw(), draw()).boxes == ()
    grey = Pillow.eval(draw(), lambda value: max(0, value - 20))
    assert compare_pictures(draw(), grey).boxes == ()


def test_what_is_gone_is_marked_too() -> None:
    assert len(compare_pictures(draw((40, 40, 60, 54)), draw()).boxes) == 1


def test_boxes_are_few_and_do_not_overlap() -> None:
    many = [(x, y, x + 3, y + 3) for x in range(5, 310, 30) for y in range(5, 180, 30)]
    boxes = compare_pictures(draw(), draw(*many)).boxes
    assert 1 <= len(boxes) <= 8
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert all(any(encloses(box, change) for box in boxes) for change in many)


def test_a_picture_drawn_anew_has_nearly_all_its_ink_changed() -> None:
    other = Pillow.new("RGB", (320, 240), "white")
    ImageDraw.Draw(other).ellipse((60, 20, 240, 180), outline="black", width=3)
    assert compare_pictures(draw(), other).ink_share > 0.9
    assert compare_pictures(draw((40, 40, 60, 54)), draw((40, 40, 60, 54), (100, 40, 106, 46))).ink_share < 0.3


def test_pictures_of_other_sizes_are_scaled_before_comparing() -> None:
    difference = compare_pictures(draw(size=(640, 480)).resize((160, 120)), draw(size=(640, 480)))
    assert difference.scaled and (difference.width, difference.height) == (640, 480)
    assert difference.share < 0.02
