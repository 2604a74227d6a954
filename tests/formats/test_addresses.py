"""Shards at addresses: in memory, and on an S3 server over HTTP."""

import hashlib
import json

import fsspec
import pytest

from listenbench.cli import run
from listenbench.dataset import DESCRIPTION
from listenbench.errors import DataError
from listenbench.packing.export import export
from listenbench.packing.files import UNFINISHED, RemoteFiles, is_address
from listenbench.packing.options import PARQUET, WEBDATASET, Packing

SHARD_BYTES = 3_000_000
TARS = Packing(WEBDATASET, shard_bytes=SHARD_BYTES)
BUCKET = "listenbench"
TABLES = {"metadata.jsonl", "gold.jsonl", "manifest.jsonl", "croissant.json", DESCRIPTION}


@pytest.fixture(scope="module")
def s3():
    """Run an S3 server on this machine, and give the environment that leads there."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": "/dev/null",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.delenv("http_proxy", raising=False)
        patch.delenv("HTTP_PROXY", raising=False)
        fsspec.filesystem("s3").mkdir(BUCKET)
        yield
    server.stop()


@pytest.fixture(params=["memory", "s3"])
def address(request):
    """Give an address at which there is nothing yet."""
    if request.param == "s3":
        request.getfixturevalue("s3")
        root = f"s3://{BUCKET}/{request.node.name.translate(str.maketrans('[]', '--'))}"
    else:
        root = "memory://listenbench"
    yield root
    system, path = fsspec.core.url_to_fs(root)
    system.invalidate_cache()
    if system.exists(path):
        system.rm(path, recursive=True)


@pytest.fixture(scope="module")
def local(small, tmp_path_factory):
    out = tmp_path_factory.mktemp("local") / "tars"
    export(small.folder, out, TARS)
    return contents(out.as_uri())


def contents(root):
    """Return the SHA-256 of every file below an address."""
    system, path = fsspec.core.url_to_fs(root)
    system.invalidate_cache()
    names = system.find(path)
    prefix = len(str(path).rstrip("/")) + 1
    return {name[prefix:]: hashlib.sha256(system.cat_file(name)).hexdigest() for name in names}


def test_the_files_are_those_of_a_folder(small, address, local):
    export(small.folder, address, TARS)
    assert contents(address) == local
    assert set(local) > TABLES
    # Once more changes nothing.
    export(small.folder, address, TARS)
    assert contents(address) == local


@pytest.mark.parametrize("form", ["--shards=webdataset", "--parquet"])
def test_generate_writes_there(small, address, tmp_path, monkeypatch, capsys, form):
    monkeypatch.chdir(tmp_path)
    command = ["generate", "--split=test", "--items=2", "--tasks=harmony,rhythm", "--workers=1", form]
    assert run([*command, "--out", address, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["folder"], summary["fingerprint"]) == (address, small.description["fingerprint"])
    assert summary["recordings"] == len(small)
    assert list((tmp_path / "data").iterdir()) == []
    export(small.folder, tmp_path / "packed", Packing(PARQUET if "parquet" in form else WEBDATASET))
    assert contents(address) == contents((tmp_path / "packed").as_uri())
    monkeypatch.setattr("listenbench.recording.Studio", None)
    assert run([*command, "--out", address]) == 0
    assert run([*command, "--out", address, "--answers"]) == 2
    assert "something else already" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
def test_parquet_is_read_from_there(small, address):
    from pyarrow.parquet import read_table

    export(small.folder, address, Packing(PARQUET))
    (name,) = (name for name in contents(address) if name.startswith("data/"))
    with fsspec.open(f"{address}/{name}") as file:
        rows = read_table(file).to_pylist()
    assert [row["audio"]["bytes"] for row in rows] == [item.path.read_bytes() for item in small]


class ConnectionLostError(Exception):
    """What a connection may end with."""


def break_after(monkeypatch, shards):
    """Let the connection end within a shard."""
    from listenbench.packing import pack

    write, written = pack.write_tar, []

    def failing(file, samples):
        if len(written) < shards:
            written.append(1)
            return write(file, samples)
        file.write(b"half a shard")
        raise ConnectionLostError("connection reset")

    monkeypatch.setattr(pack, "write_tar", failing)


def test_half_of_it_never_looks_whole(small, address, local, monkeypatch):
    with monkeypatch.context() as patch:
        break_after(patch, 2)
        with pytest.raises(DataError, match="can't write to this address: connection reset"):
            export(small.folder, address, TARS)
    there = contents(address)
    assert DESCRIPTION not in there
    assert UNFINISHED in there
    if address.startswith("s3"):
        # A shard that was cut off isn't there at all.
        assert len([name for name in there if name.startswith("data/")]) == 2
    export(small.folder, address, TARS)
    assert contents(address) == local


def test_shards_of_an_interrupted_run_with_other_options_are_removed(small, address, local, monkeypatch):
    with monkeypatch.context() as patch:
        break_after(patch, 4)
        with pytest.raises(DataError, match="connection reset"):
            export(small.folder, address, Packing(WEBDATASET, shard_bytes=1_000_000))
    assert not set(contents(address)) <= set(local)
    export(small.folder, address, TARS)
    assert contents(address) == local


def test_a_replaced_data_set_is_not_whole_meanwhile(small, address, local, monkeypatch):
    export(small.folder, address, Packing(WEBDATASET, shard_bytes=1_000_000))
    with pytest.raises(DataError, match="something else already"):
        export(small.folder, address, TARS)
    with monkeypatch.context() as patch:
        break_after(patch, 1)
        with pytest.raises(DataError, match="connection reset"):
            export(small.folder, address, TARS, overwrite=True)
    assert DESCRIPTION not in contents(address)
    export(small.folder, address, TARS, overwrite=True)
    assert contents(address) == local


def test_what_is_no_data_set_stays(small, address):
    with fsspec.open(f"{address}/metadata.jsonl", "wb") as file:
        file.write(b"somebody's")
    before = contents(address)
    for overwrite in (False, True):
        with pytest.raises(DataError, match="give another --out"):
            export(small.folder, address, TARS, overwrite=overwrite)
    assert contents(address) == before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("nope://bucket/data", "Protocol not known: nope"),
        ("s3://no-such-bucket/data", "no-such-bucket|does not exist"),
        ("memory://", "names no folder"),
        ("webhdfs://user:secret@127.0.0.1:9/data", "can't .* this address"),
    ],
)
@pytest.mark.usefixtures("s3")
def test_wrong_addresses_are_told_in_one_line(small, out, message, capsys):
    assert run(["export", str(small.folder), "--shards=webdataset", "--out", out]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "secret" not in error
    with pytest.raises(DataError, match=message):
        export(small.folder, out, TARS)


def test_a_damaged_description_is_told(address):
    with fsspec.open(f"{address}/{DESCRIPTION}", "wb") as file:
        file.write(b"[" * 100_000)
    with pytest.raises(DataError, match="not JSON"):
        RemoteFiles(address).description()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://b/x", True),
        ("memory://x", True),
        ("simplecache::s3://b/x", True),
        ("data/test-0", False),
        ("a:b", False),
    ],
)
def test_what_an_address_is(text, expected):
    assert is_address(text) is expected


def test_no_message_has_a_password(capsys):
    options = ["--split=test", "--items=1", "--shards=webdataset", "--out=s3://user:sesame@nowhere.invalid/x"]
    assert run(["generate", *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "sesame" not in error
