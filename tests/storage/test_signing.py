"""A signature holds for the bytes that were signed, by the key that signed them, and for nothing else."""

from __future__ import annotations

import json
import shutil

import pytest
import storage_cases as cases
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.packs import Packs
from counterfoil.storage.parquet import hash_bytes
from counterfoil.storage.schemas import to_table
from counterfoil.storage.signing import (
    SIGNATURE_PATH,
    digest_state,
    find_unexpected,
    find_unsigned,
    read_private_key,
    read_public_key,
    sign_dataset,
)
from counterfoil.storage.staged import StagedShards


def write_keys(folder, key=None):
    key = key or Ed25519PrivateKey.generate()
    private, public = folder / "key.pem", folder / "key.pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


@pytest.fixture
def data(tmp_path):
    """A dataset of a pack and a file by itself."""
    url = str(tmp_path / "data")
    names = [hash_bytes(str(number).encode()) for number in range(65)]
    for number, name in enumerate(names):
        rows = cases.make_anchors("one", number, 1)
        StagedShards(url).write(name, {"anchors/domain=geometry": to_table(rows, "anchors")})
    Dataset(url).publish({"anchors/domain=geometry": names})
    return tmp_path / "data"


def test_what_was_signed_is_found_signed_and_a_changed_byte_of_any_file_is_not(data, tmp_path):
    private, public = write_keys(tmp_path)
    dataset, key = Dataset(str(data)), read_public_key(public)
    assert find_unsigned(dataset, key).startswith("unsigned: ")
    sign_dataset(dataset, read_private_key(private))
    assert find_unsigned(dataset, key) is None
    files = dataset.snapshot().files("anchors")
    assert len(files) == 2
    for file in files:
        whole = (data / file.path).read_bytes()
        (data / file.path).write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
        assert "anchors has other bytes" in find_unsigned(dataset, key)
        (data / file.path).write_bytes(whole)
    (data / files[0].path).unlink()
    assert "are gone" in find_unsigned(dataset, key)


def test_a_pack_whose_record_was_changed_along_is_not_as_it_was_signed(data, tmp_path):
    private, public = write_keys(tmp_path)
    dataset = Dataset(str(data))
    sign_dataset(dataset, read_private_key(private))
    packs = Packs(dataset.store)
    packs.refresh()
    (pack,) = packs.all()
    whole = (data / pack.path).read_bytes()
    changed = whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]
    (data / pack.path).write_bytes(changed)
    packs.add(type(pack)(pack.path, pack.size, hash_bytes(changed), pack.tag, pack.parts))
    assert "anchors has other bytes" in find_unsigned(dataset, read_public_key(public))


def test_another_key_and_a_changed_signature_are_told(data, tmp_path):
    private, public = write_keys(tmp_path)
    dataset = Dataset(str(data))
    sign_dataset(dataset, read_private_key(private))
    (tmp_path / "other").mkdir()
    _, other = write_keys(tmp_path / "other")
    assert "by another key" in find_unsigned(dataset, read_public_key(other))
    said = json.loads((data / SIGNATURE_PATH).read_bytes())
    said["tables"]["anchors"]["rows"] += 1
    (data / SIGNATURE_PATH).write_text(json.dumps(said))
    assert "the signature was changed" in find_unsigned(dataset, read_public_key(public))
    for broken in ("", "[]", '{"tables": {}, "signature": "xyz"}'):
        (data / SIGNATURE_PATH).write_text(broken)
        assert "cannot be read" in find_unsigned(dataset, read_public_key(public))


def test_another_log_of_the_same_files_is_not_as_it_was_signed(data, tmp_path):
    """Whoever changes what a run said of itself changes what its rows are checked by."""
    private, public = write_keys(tmp_path)
    dataset, key = Dataset(str(data)), read_public_key(public)
    sign_dataset(dataset, read_private_key(private))
    (commit,) = [path for path in (data / "anchors/_delta_log").glob("*.json") if b'"root"' in path.read_bytes()]
    lines = commit.read_text().splitlines()
    info = next(line for line in lines if "commitInfo" in line)
    said = json.loads(info)
    said["commitInfo"]["counterfoil"] = {"recipe": {"dataset": {"seed": 8}}}
    commit.write_text("\n".join(json.dumps(said) if line == info else line for line in lines))
    assert "the log of anchors says something else" in find_unsigned(Dataset(str(data)), key)


def test_a_replayed_older_version_keeps_no_newer_signature(data, tmp_path):
    private, public = write_keys(tmp_path)
    older = tmp_path / "older"
    shutil.copytree(data, older)
    name = hash_bytes(b"more")
    StagedShards(str(data)).write(
        name, {"anchors/domain=geometry": to_table(cases.make_anchors("two", 1, 2), "anchors")}
    )
    Dataset(str(data)).publish({"anchors/domain=geometry": [name]})
    sign_dataset(Dataset(str(data)), read_private_key(private))
    shutil.copy(data / SIGNATURE_PATH, older / SIGNATURE_PATH)
    assert "other bytes" in find_unsigned(Dataset(str(older)), read_public_key(public))


def test_a_vacuum_leaves_the_signature(data, tmp_path):
    private, public = write_keys(tmp_path)
    sign_dataset(Dataset(str(data)), read_private_key(private))
    Dataset(str(data)).vacuum(keep=1)
    assert find_unsigned(Dataset(str(data)), read_public_key(public)) is None


def test_what_is_no_key_is_told_with_how_to_make_one(tmp_path):
    private, public = write_keys(tmp_path, generate_private_key(65537, 2048))
    for read, path in ((read_private_key, private), (read_public_key, public)):
        with pytest.raises(StorageError, match="of another kind than Ed25519: `openssl genpkey"):
            read(path)
    for read, path in ((read_private_key, public), (read_public_key, private)):
        with pytest.raises(StorageError, match=r"holds no (private|public) key in PEM"):
            read(path)
    with pytest.raises(StorageError, match=r"cannot read the key .*No such file"):
        read_private_key(tmp_path / "none.pem")


def test_an_older_version_put_back_with_its_signature_is_in_another_state(data, tmp_path):
    private, public = write_keys(tmp_path)
    sign_dataset(Dataset(str(data)), read_private_key(private))
    old, state = tmp_path / "old", digest_state(Dataset(str(data)))
    shutil.copytree(data, old)
    Dataset(str(data)).note({"recipe": {"seed": 8}})
    sign_dataset(Dataset(str(data)), read_private_key(private))
    newest = digest_state(Dataset(str(data)))
    assert find_unsigned(Dataset(str(old)), read_public_key(public)) is None
    assert (
        find_unexpected(Dataset(str(data)), newest) is None and find_unexpected(Dataset(str(old)), state[:16]) is None
    )
    assert find_unexpected(Dataset(str(old)), newest).startswith("wrong_state: ")
    with pytest.raises(StorageError, match="16 to 64 hex digits"):
        find_unexpected(Dataset(str(old)), state[:15])
    next(old.glob("anchors/domain=geometry/*.parquet")).unlink()
    assert "are gone" in find_unexpected(Dataset(str(old)), state)
