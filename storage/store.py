"""Where a dataset lives: a local folder or an fsspec URL, behind the few operations that storage needs.

Locally a file appears whole or not at all: temporary file, fsync, rename, fsync of the folder. On an object store a
PUT is atomic by itself. Everything else in `storage` is the same on both.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

import pyarrow.fs as pafs

from counterfoil.storage.errors import StorageError

if TYPE_CHECKING:
    from counterfoil.storage.objects import Objects

FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_TEMPORARY_DAYS = 1
_REMOVED_AT_ONCE = 1000
"""Objects in one request to remove them: S3's limit."""
PARALLEL = 32
"""Requests to an object store under way at once: each waits for the network, so cores do not bound them."""
_counter = itertools.count()
HELD_BYTES = 128 << 20
"""What `Store.hold` keeps at most."""
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Described:
    """What a store tells of a file without its bytes: its size, and the `Store.tag` of its content."""

    size: int
    tag: str | None


@dataclass
class _Held:
    """Files that were read and will be read again soon, up to about `HELD_BYTES`."""

    files: dict[str, bytes] = field(default_factory=dict)
    size: int = 0

    def add(self, path: str, content: bytes) -> None:
        if self.size + len(content) <= HELD_BYTES and path not in self.files:
            self.files[path] = content
            self.size += len(content)

    def drop(self, path: str) -> None:
        self.size -= len(self.files.pop(path, b""))

    def clear(self) -> None:
        self.files.clear()
        self.size = 0


@dataclass(frozen=True)
class Store:
    """A dataset's folder. Paths are relative to it, with ``/``; ``options`` go to fsspec (``key``, ``secret``)."""

    url: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    _held: _Held = field(default_factory=_Held, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.folder is None:
            _ = self._remote  # An unknown kind of URL is told here and now.

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process begins with: clients are opened there anew."""
        return Store, (self.url, self.options)

    @cached_property
    def folder(self) -> Path | None:
        """The local folder, absolute; None on an object store."""
        if "://" not in self.url:
            return Path(self.url).expanduser().absolute()
        if self.url.startswith("file://"):
            return Path(unquote(urlsplit(self.url).path)).absolute()
        return None

    @cached_property
    def _remote(self) -> tuple[Any, str]:
        from fsspec.core import url_to_fs

        options = dict(self.options)
        if self.is_s3:
            options.setdefault("use_listings_cache", False)
            # fsspec keeps file systems by what they were given: another address in the environment is another one.
            if endpoint := self.delta_options.get("aws_endpoint_url"):
                options.setdefault("endpoint_url", endpoint)
        try:
            filesystem, root = url_to_fs(self.url, **options)
        except (ImportError, ValueError) as error:
            raise StorageError(
                f"cannot open {self.url}: {error}. Use a folder or a URL that fsspec knows; "
                "for s3:// install the extra: pip install 'counterfoil[s3]'"
            ) from error
        return filesystem, root.rstrip("/")

    @cached_property
    def filesystem(self) -> Any:
        """The fsspec file system; local folders too."""
        if self.folder is None:
            return self._remote[0]
        from fsspec.implementations.local import LocalFileSystem

        return LocalFileSystem()

    @cached_property
    def arrow_filesystem(self) -> pafs.FileSystem:
        """The file system for pyarrow's readers: its own for folders and S3, fsspec's for every other kind of URL.

        Under a file system in Python, pyarrow's reading threads call back into an interpreter that may be ending:
        a short script whose reader is not read to its end would then abort at exit (code 134).
        """
        if self.folder is not None:
            return pafs.LocalFileSystem()
        if not self.is_s3:
            return pafs.PyFileSystem(pafs.FSSpecHandler(self.filesystem))
        scheme, _, endpoint = self.delta_options.get("aws_endpoint_url", "").rpartition("://")
        given = {
            "access_key": self.delta_options.get("aws_access_key_id"),
            "secret_key": self.delta_options.get("aws_secret_access_key"),
            "session_token": self.delta_options.get("aws_session_token"),
            "region": self.delta_options.get("aws_region"),
            "endpoint_override": endpoint,
            "scheme": scheme,
        }
        anonymous = bool(self.options.get("anon"))
        return pafs.S3FileSystem(anonymous=anonymous, **{name: value for name, value in given.items() if value})

    @cached_property
    def _objects(self) -> Objects | None:
        """S3 by object_store, of which a request takes a fifth of s3fs's CPU time; None for other stores."""
        from counterfoil.storage.objects import open_objects

        return open_objects(self._remote[1], self.delta_options, self.options) if self.is_s3 else None

    @property
    def is_s3(self) -> bool:
        """Whether the dataset is on S3 or what speaks its protocol."""
        return urlsplit(self.url).scheme in ("s3", "s3a")

    def locate(self, path: str) -> str:
        """The path as `filesystem` takes it."""
        if self.folder is not None:
            return str(self.folder / path) if path else str(self.folder)
        return f"{self._remote[1]}/{path}" if path else self._remote[1]

    def table_uri(self, table: str) -> str:
        """The address of a table for delta-rs."""
        return str(self.folder / table) if self.folder is not None else f"{self.url.rstrip('/')}/{table}"

    @cached_property
    def delta_options(self) -> dict[str, str]:
        """delta-rs's storage options: what ``options`` and fsspec's configuration say, and commits by conditional PUT.

        What is absent comes from the usual ``AWS_...`` variables, which delta-rs and s3fs both read.
        """
        if not self.is_s3:
            return {}
        from fsspec.config import conf

        given = {**conf.get("s3", {}), **self.options}
        client = given.get("client_kwargs") or {}
        found = {
            "access_key_id": given.get("key"),
            "secret_access_key": given.get("secret"),
            "session_token": given.get("token"),
            "endpoint_url": given.get("endpoint_url")
            or client.get("endpoint_url")
            or os.environ.get("AWS_ENDPOINT_URL_S3")
            or os.environ.get("AWS_ENDPOINT_URL"),
            "region": client.get("region_name") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
        }
        options = {f"aws_{name}": str(value) for name, value in found.items() if value}
        options["aws_conditional_put"] = "etag"
        if options.get("aws_endpoint_url", "").startswith("http://"):
            options["aws_allow_http"] = "true"
        return options

    def write(self, path: str, content: bytes | memoryview) -> str | None:
        """Write a file whole or not at all, durably; its `tag`, which S3 tells as it takes the file.

        Raises:
            StorageError: the disk is full, or the place cannot be written.
        """
        self._held.drop(path)
        with self._explain("writing", path):
            if self.folder is None:
                if self._objects is not None:
                    return self._objects.write(self.locate(path), content)
                answer = self._remote[0].pipe_file(self.locate(path), bytes(content))
                tag = answer.get("ETag") if isinstance(answer, Mapping) else None
                return str(tag) if tag else self.tag(path)
            target = self.folder / path
            with self.open_temporary(target.name) as temporary:
                with temporary.open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                self._rename(temporary, target)
        return None

    def upload(self, source: Path, path: str) -> str | None:
        """Make a local file the file at ``path``, whole or not at all, durably; its `tag`. In a folder it is moved.

        Raises:
            StorageError: the disk is full, or the place cannot be written.
        """
        with self._explain("writing", path):
            if self._objects is not None:
                return self._objects.write(self.locate(path), source)
            if self.folder is None:
                self._remote[0].put_file(str(source), self.locate(path))
                return self.tag(path)
            with source.open("rb") as file:
                os.fsync(file.fileno())
            self._rename(source, self.folder / path)
        return None

    @contextlib.contextmanager
    def open_scratch(self, name: str) -> Iterator[Path]:
        """A path for a large file that is written step by step, for `upload`; it is removed on the way out."""
        if self.folder is not None:
            with self.open_temporary(name) as temporary:
                yield temporary
            return
        with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
            yield Path(folder) / name

    @contextlib.contextmanager
    def open_temporary(self, name: str) -> Iterator[Path]:
        """A path in ``work/tmp`` that is removed on the way out, whatever happens."""
        assert self.folder is not None
        temporary = self.folder / "work" / "tmp" / f"{os.getpid()}-{next(_counter)}-{os.urandom(4).hex()}-{name}"
        temporary.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)

    def check_writable(self) -> None:
        """Write a small file and remove it.

        Raises:
            StorageError: nothing can be written here.
        """
        probe = f"work/tmp/check-{os.getpid()}-{os.urandom(4).hex()}"
        self.write(probe, b"x")
        self.remove(probe)

    def read(self, path: str, span: slice | None = None) -> bytes:
        """A file's bytes, or a span of them.

        Raises:
            FileNotFoundError: there is none.
        """
        if self.folder is not None:
            content = (self.folder / path).read_bytes()
            return content[span] if span else content
        if (held := self._held.files.get(path)) is not None:
            return held[span] if span else held
        if self._objects is not None:
            return self._objects.read(self.locate(path), span)
        if span:
            return bytes(self._remote[0].cat_file(self.locate(path), start=span.start, end=span.stop))
        # Concurrently s3fs would ask for each file's size first, and read ours in one piece all the same.
        once = {"max_concurrency": 1} if self.is_s3 else {}
        return bytes(self._remote[0].cat_file(self.locate(path), **once))

    def hold(self, path: str, content: bytes) -> None:
        """Keep a file that was read and will be read again, until `let_go`, as far as there is room for it."""
        self._held.add(path, content)

    def let_go(self) -> None:
        """Forget what was held."""
        self._held.clear()

    def open(self, path: str) -> Any:
        """A file to read from, seekable."""
        return self.filesystem.open(self.locate(path), "rb")

    def size(self, path: str) -> int | None:
        """A file's size in bytes; None where there is no such file."""
        if self.folder is None:
            told = self.describe(path)
            return None if told is None else told.size
        try:
            return (self.folder / path).stat().st_size
        except FileNotFoundError:
            return None

    def describe(self, path: str) -> Described | None:
        """A file's size and tag, by one request; None where there is no such file."""
        if self.folder is not None:
            size = self.size(path)
            return None if size is None else Described(size, None)
        try:
            if self._objects is not None:
                return Described(*self._objects.describe(self.locate(path)))
            info = self._remote[0].info(self.locate(path))
        except FileNotFoundError:
            return None
        tag = info.get("ETag")
        return Described(int(info["size"]), str(tag) if tag else None)

    def age_hours(self, path: str) -> float:
        """How long ago a file was written."""
        if self.folder is not None:
            return (time.time() - (self.folder / path).stat().st_mtime) / 3600
        return (time.time() - float(self._remote[0].modified(self.locate(path)).timestamp())) / 3600

    def tag(self, path: str) -> str | None:
        """What an object store gives out as the content's tag (S3's ETag); None where there is none.

        Raises:
            FileNotFoundError: there is no such file.
        """
        if self.folder is not None:
            return None
        told = self.describe(path)
        if told is None:
            raise FileNotFoundError(f"there is no {path} in {self.url}")
        return told.tag

    def move(self, source: str, target: str) -> None:
        """Move a file; on an object store a server-side copy and a removal."""
        with self._explain("moving", target):
            if self.folder is not None:
                self._rename(self.folder / source, self.folder / target)
                return
            filesystem, _ = self._remote
            filesystem.cp_file(self.locate(source), self.locate(target))
            filesystem.rm_file(self.locate(source))

    def move_all(self, moves: Sequence[tuple[str, str]]) -> None:
        """Move files, each a source and a target; whoever dies meanwhile leaves each at one of the two, or at both.

        On S3 a file costs one request, a copy on the server's side: no look at it before, and removals go by the
        thousand after the last copy.
        """
        if not self.is_s3:
            self.map(lambda pair: self.move(*pair), moves)
            return
        with self._explain("moving", moves[0][1] if moves else ""):
            self.map(self._copy_object, moves)
            self.remove_all([source for source, _ in moves])

    def _copy_object(self, pair: tuple[str, str]) -> None:
        source, target = (self.locate(path) for path in pair)
        if self._objects is not None:
            self._objects.copy(source, target)
            return
        bucket, _, key = source.partition("/")
        copied = {"Bucket": bucket, "Key": key}
        self._remote[0].call_s3("copy_object", Bucket=bucket, Key=target.partition("/")[2], CopySource=copied)

    def _remove_objects(self, paths: Sequence[str]) -> None:
        bucket = self.locate("").partition("/")[0]
        keys = [{"Key": self.locate(path).partition("/")[2]} for path in paths]
        done = self._remote[0].call_s3("delete_objects", Bucket=bucket, Delete={"Objects": keys, "Quiet": True})
        for error in done.get("Errors", [])[:1]:
            raise OSError(f"{error.get('Code')}: {error.get('Message')} ({error.get('Key')})")

    def measure(self, paths: Iterable[str]) -> dict[str, int]:
        """The sizes in bytes of those of ``paths`` that are there; on an object store by listing their folders."""
        wanted = set(paths)
        if self.folder is not None:
            found = {path: self.size(path) for path in wanted}
            return {path: size for path, size in found.items() if size is not None}
        filesystem, root = self._remote
        sizes: dict[str, int] = {}
        for top in sorted({path.partition("/")[0] for path in wanted}):
            listed = filesystem.find(self.locate(top), detail=True)
            sizes |= {path[len(root) + 1 :]: int(info["size"]) for path, info in listed.items()}
        return {path: size for path, size in sizes.items() if path in wanted}

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> builtins.list[R]:
        """``work`` of each item in order: one at a time in a folder, `PARALLEL` at once on an object store."""
        return run_parallel(work, items, 1 if self.folder is not None else PARALLEL)

    def remove(self, path: str) -> None:
        """Remove a file; one that is gone already is fine."""
        if self.folder is not None:
            (self.folder / path).unlink(missing_ok=True)
            return
        self._held.drop(path)
        with contextlib.suppress(FileNotFoundError):
            self._remote[0].rm_file(self.locate(path))

    def remove_all(self, paths: Sequence[str]) -> None:
        """Remove files, on S3 a thousand by one request; those that are gone already are fine."""
        if not self.is_s3:
            self.map(self.remove, paths)
            return
        for begin in range(0, len(paths), _REMOVED_AT_ONCE):
            self._remove_objects(paths[begin : begin + _REMOVED_AT_ONCE])

    def list(self, prefix: str) -> list[str]:
        """All files under a folder, sorted; an absent folder has none."""
        if self.folder is not None:
            top = self.folder / prefix
            return sorted(str(p.relative_to(self.folder)) for p in top.rglob("*") if p.is_file())
        filesystem, root = self._remote
        found = filesystem.find(self.locate(prefix))
        return sorted(path[len(root) + 1 :] for path in found)

    def list_names(self, folder: str) -> builtins.list[str]:
        """The names of the files in one folder, in no order; an absent folder has none."""
        try:
            if self.folder is not None:
                return os.listdir(self.folder / folder)  # noqa: PTH208 - names alone are wanted
            found = self._remote[0].ls(self.locate(folder), detail=False)
        except FileNotFoundError:
            return []
        return [path.rpartition("/")[2] for path in found]

    def create(self, path: str, content: bytes) -> bool:
        """Write a file only if there is none (a conditional PUT); whether this call made it."""
        assert self.folder is None
        try:
            self._remote[0].pipe_file(self.locate(path), content, mode="create")
        except FileExistsError:
            return False
        return True

    def exchange(self, path: str, held: bytes, tag: str | None, content: bytes) -> bool:
        """Replace a file on an object store only if it is still ``held`` (a conditional PUT on its ``tag``).

        Where the store gives out no tags the content is compared before the PUT, which two at once may both pass.
        """
        assert self.folder is None
        filesystem, _ = self._remote
        try:
            if self.is_s3 and tag is not None:
                filesystem.pipe_file(self.locate(path), content, IfMatch=tag)
                return True
            if self.read(path) != held:
                return False
        except FileNotFoundError:
            return False
        except OSError as error:
            if _is_refused_condition(error):
                return False
            raise
        filesystem.pipe_file(self.locate(path), content)
        return True

    def sweep_temporaries(self) -> None:
        """Remove what killed writers left behind more than a day ago."""
        if self.folder is None:
            return
        for path in (self.folder / "work" / "tmp").glob("*"):
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime < time.time() - _TEMPORARY_DAYS * 86400:
                    path.unlink()

    def _rename(self, source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @contextlib.contextmanager
    def _explain(self, doing: str, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise explain_os_error(error, doing, f"{self.url.rstrip('/')}/{path}") from error


def check_local(path: str) -> str:
    """The path of a folder that must be on this machine.

    Raises:
        ValueError: it is a URL.
    """
    if "://" in path:
        raise ValueError(f"{path} is a URL: give a folder of the machine that trains (the dataset may be at a URL)")
    return path


def _is_refused_condition(error: OSError) -> bool:
    """Whether S3 answered 412 (the object changed) or 409 (another conditional PUT is under way)."""
    response = getattr(error.__cause__, "response", None) or {}
    return response.get("ResponseMetadata", {}).get("HTTPStatusCode") in (409, 412)


def run_parallel(work: Callable[[T], R], items: Iterable[T], most: int = PARALLEL) -> builtins.list[R]:
    """``work`` of each item in order, ``most`` of them under way at once. The first error ends it.

    >>> run_parallel(len, ["a", "bcd"])
    [1, 3]
    """
    pending = list(items)
    if min(len(pending), most) < 2:
        return [work(item) for item in pending]
    with ThreadPoolExecutor(min(most, len(pending)), thread_name_prefix="storage") as pool:
        futures = [pool.submit(work, item) for item in pending]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def explain_os_error(error: OSError, doing: str, where: str) -> StorageError:
    """An operating system's refusal as a `StorageError` that says what to do."""
    if error.errno in FULL_DISK:
        return StorageError(
            f"disk full {doing} {where}: free space and run again; what is finished is kept ({error.strerror})"
        )
    return StorageError(f"failed {doing} {where}: {error}")
