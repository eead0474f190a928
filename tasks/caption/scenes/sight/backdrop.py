"""Where a picture plays, in what weather and at what time of day, by the pixels that no thing covers."""

from __future__ import annotations

import numpy as np
import scipy

from counterfoil.tasks.caption.scenes.graph import Place, Time, Weather
from counterfoil.tasks.caption.scenes.sight.colours import to_oklab

_SKY = slice(4, 90)
_LOW_SKY = slice(96, 178)
_FOOT = slice(326, 334)


def see_place(pixels: np.ndarray, free: np.ndarray) -> Place | None:
    """The place, by the ground at the lower edge and what meets the sky (pixels: 336 x 336 x 3; free: uncovered)."""
    sky = _median(pixels, free, _SKY)
    ground = _median(pixels, free, _FOOT)
    if sky is None or ground is None:
        return None
    if sky[0] > 0.88:
        return "room"
    light, red, yellow = ground
    night = sky[0] < 0.45
    if red > 0.025 and yellow < -0.045:
        return "lavender"
    if red > 0.06:
        return "playground" if yellow > 0.022 else "tulips"
    if red > 0.02 and yellow > 0 and light < 0.58:
        return "ploughland"
    if yellow < -0.03 and red < -0.02:
        return "lake"
    if red < -0.035:
        return "forest" if light < (0.53 if night else 0.64) else "meadow"
    if yellow < 0.02 and light > (0.7 if night else 0.9):
        return "snow"
    if light < 0.62 and abs(yellow) < 0.02 and abs(red) < 0.02:
        return "street"
    meeting = _median(pixels, free, slice(188, 202))
    if meeting is None or _see_mist(pixels, free):
        return None
    return "beach" if meeting[2] < -0.05 and 0.5 < meeting[0] < 0.78 else "desert"


def see_time(pixels: np.ndarray, free: np.ndarray) -> Time | None:
    """Day, evening or night, by the colour of the sky; meaningless in a room."""
    sky = _median(pixels, free, _SKY)
    if sky is None:
        return None
    if sky[0] < 0.45:
        return "night"
    return "evening" if sky[1] > 0.03 else "day"


def see_weather(pixels: np.ndarray, free: np.ndarray) -> Weather | None:
    """The weather: lightning, falling drops or flakes, mist at the horizon, a sun with rays, clouds, or none of it."""
    lab = to_oklab(pixels)
    sky = _median(pixels, free, _SKY)
    if sky is None:
        return None
    yellow = free & (lab[..., 2] > 0.12) & (lab[..., 0] > 0.8)
    if yellow[36:130, :255].sum() > 90 and sky[1] < 0.07:
        return "stormy"
    fallen = _see_fall(lab, free)
    if fallen:
        return fallen
    if _see_mist(pixels, free):
        return "foggy"
    if sky[0] > 0.45 and sky[1] < 0.03 and yellow[:110, 255:].sum() > 150:
        return "sunny"
    # Left of the moon.
    high, open_high = lab[4:56, :250, 0], free[4:56, :250]
    if open_high.sum() > 500 and float((np.abs(high[open_high] - sky[0]) > 0.05).mean()) > 0.1:
        return "cloudy"
    return "clear" if see_time(pixels, free) != "day" else None


def _see_fall(lab: np.ndarray, free: np.ndarray) -> Weather | None:
    """Rain or snow: many small bright specks over the low sky, long or round."""
    window = lab[_LOW_SKY][..., 0]
    open_sky = free[_LOW_SKY]
    smooth = scipy.ndimage.median_filter(window, 7)
    specks, count = scipy.ndimage.label((window > smooth + 0.035) & open_sky, np.ones((3, 3)))
    if count < 8:
        return None
    tall = [box[0].stop - box[0].start for box in scipy.ndimage.find_objects(specks)]
    wide = [box[1].stop - box[1].start for box in scipy.ndimage.find_objects(specks)]
    sizes = [(h, w) for h, w in zip(tall, wide, strict=True) if 2 <= h <= 14 and w <= 8]
    share = open_sky.mean()
    if len(sizes) < 14 * share:
        return None
    ratio = float(np.median([h / w for h, w in sizes]))
    return "rainy" if ratio > 1.5 else "snowy"


def _see_mist(pixels: np.ndarray, free: np.ndarray) -> bool:
    level, above = _median(pixels, free, slice(150, 186)), _median(pixels, free, slice(90, 110))
    if level is None or above is None:
        return False
    return bool(level[0] > above[0] + 0.1 and np.hypot(level[1], level[2]) < 0.03)


def _median(pixels: np.ndarray, free: np.ndarray, rows: slice) -> np.ndarray | None:
    """OKLab of the rows' uncovered pixels, by component; None where too little is free."""
    open_pixels = pixels[rows][free[rows]]
    if len(open_pixels) < 200:
        return None
    return np.median(to_oklab(open_pixels), axis=0)
