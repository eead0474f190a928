"""Pictures from outside, checked before anything is made of them.

Of a picture that is fine the coded pixels are kept bit for bit, without metadata. One that a reader could misread
(rotated by its EXIF, with a palette or transparency, in another profile's colours, in a format that browsers do not
show) is written anew as PNG. One that cannot be trusted (truncated, animated, too large, not a picture, in printing
colours whose look its profile decides) is refused with the reason.
"""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

from counterfoil.renderers.raster import find_odd_form
from counterfoil.storage.pictures import flatten
from counterfoil.tasks.caption.sources.metadata import MetadataError, is_plain_webp, strip_jpeg, strip_png

MAX_PIXELS = 100_000_000
MAX_BYTES = 200_000_000
LEAST_SIDE = 16
_KEPT = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}
_ORIENTATION = 0x0112


class PictureError(ValueError):
    """The picture is refused: ``"code: details"``."""


def check_picture(data: bytes) -> tuple[bytes, str]:
    """The picture's bytes, as they are or written anew, and the ending of its file's name.

    Raises:
        PictureError: it is refused; the message begins with the reason's code.
    """
    if len(data) > MAX_BYTES:
        raise PictureError(f"picture_too_large: {len(data):,} bytes, over {MAX_BYTES:,}")
    try:
        with warnings.catch_warnings():
            # Pillow warns of what we refuse below with a reason of our own.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data)) as picture:
                return _check_open(picture, data)
    except UnidentifiedImageError as error:
        raise PictureError("picture_type: the bytes are no picture of a known format") from error
    except Image.DecompressionBombError as error:
        raise PictureError(f"picture_too_large: {error}") from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(f"picture_broken: {error}") from error


def _check_open(picture: Image.Image, data: bytes) -> tuple[bytes, str]:
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise PictureError(f"picture_too_large: {width} x {height} pixels, over {MAX_PIXELS:,}")
    if min(width, height) < LEAST_SIDE:
        raise PictureError(f"picture_too_small: {width} x {height} pixels; the shorter side must have {LEAST_SIDE}")
    if getattr(picture, "n_frames", 1) > 1:
        raise PictureError(f"picture_animated: {picture.n_frames} frames")  # type: ignore[attr-defined]
    if picture.mode == "CMYK":
        raise PictureError("picture_colours: CMYK; write it anew in RGB by its profile")
    turned = picture.getexif().get(_ORIENTATION, 1) not in (0, 1)
    # Reads every pixel: what is truncated fails here.
    picture.load()
    upright = ImageOps.exif_transpose(picture)
    managed = _show_in_srgb(upright)
    clear = "transparency" in picture.info
    if not turned and managed is upright and picture.mode in ("RGB", "L") and not clear:
        kept = _strip(picture.format or "", data)
        if kept is not None:
            return kept, _KEPT[picture.format or ""]
    plain = _flatten(managed)
    # Pillow writes the profile that it finds here.
    plain.info.clear()
    sink = BytesIO()
    plain.save(sink, "PNG", compress_level=6)
    return sink.getvalue(), "png"


def _strip(kind: str, data: bytes) -> bytes | None:
    """The file without metadata and with the very pixels; None where it must be written anew for that."""
    try:
        if kind == "JPEG":
            return strip_jpeg(data)
        if kind == "PNG":
            plain = strip_png(data)
            return None if find_odd_form(plain) else plain
        return data if kind == "WEBP" and is_plain_webp(data) else None
    except MetadataError:
        # Pillow reads what is not laid out as it should be; others may not.
        return None


def _show_in_srgb(picture: Image.Image) -> Image.Image:
    """The picture in sRGB, which is what one without a profile is taken for; itself where it is in it already."""
    profile = picture.info.get("icc_profile")
    if not profile or picture.mode not in ("RGB", "RGBA", "P"):
        return picture
    try:
        own = ImageCms.ImageCmsProfile(BytesIO(profile))
        if "srgb" in ImageCms.getProfileDescription(own).lower():
            return picture
        mode = "RGBA" if picture.mode == "RGBA" or "transparency" in picture.info else "RGB"
        shown = ImageCms.profileToProfile(picture.convert(mode), own, ImageCms.createProfile("sRGB"), outputMode=mode)
    except (ImageCms.PyCMSError, OSError) as error:
        raise PictureError(f"picture_colours: its colour profile cannot be read: {error}") from error
    return picture if shown is None else shown


def _flatten(picture: Image.Image) -> Image.Image:
    if picture.mode in ("I;16", "I", "F") and "transparency" not in picture.info:
        raise PictureError(f"picture_type: pixels of mode {picture.mode}; 8 bits a channel are read")
    return flatten(picture)
