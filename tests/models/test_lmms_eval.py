"""The task folder for lmms-eval, read as that harness reads it: YAML with functions of a file beside it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from listenbench.cli import run
from listenbench.errors import DataError
from listenbench.listeners import predict
from listenbench.models.lmms_eval import write_task_folder
from listenbench.scoring import score

yaml = pytest.importorskip("yaml", reason="PyYAML isn't installed; it comes with inspect_ai")


def load_task(folder):
    """Read a task as lmms-eval does: `!function utils.name` is a function of utils.py beside the YAML."""
    spec = importlib.util.spec_from_file_location("utils", folder / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    class Loader(yaml.FullLoader):
        pass

    def function(loader, node):
        place, name = loader.construct_scalar(node).split(".")
        assert place == "utils"
        return getattr(module, name)

    Loader.add_constructor("!function", function)
    return yaml.load((folder / "listenbench.yaml").read_text("utf-8"), Loader)


def evaluated(config, documents, reply, args):
    """Return the figures for the replies to documents, as lmms-eval's evaluator gathers them."""
    gathered = {}
    for document in documents:
        for metric, outcome in config["process_results"](document, [reply(document)]).items():
            gathered.setdefault(metric, []).append(outcome)
    figures = {}
    for metric in config["metric_list"]:
        if outcomes := gathered.pop(metric["metric"], []):
            options = {"args": args} if metric["metric"] == "answers_written" else {}
            figures[metric["metric"]] = metric["aggregation"](outcomes, **options)
    assert not gathered
    return figures


@pytest.fixture(scope="module")
def folder(dataset, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lmms") / "task"
    assert run(["lmms-eval", "--data", str(dataset.folder), "--out", str(folder), "--name", "listen-0"]) == 0
    return folder


@pytest.fixture(scope="module")
def config(folder):
    return load_task(folder)


@pytest.fixture(scope="module")
def documents(config):
    """Return the documents by the JSON loader's rule: the file that the split names, one object a line."""
    assert config["dataset_path"] == "json"
    path = Path(config["dataset_kwargs"]["data_files"][config["test_split"]])
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_folder_holds_a_task_and_its_functions(folder, config):
    # Python keeps what it compiled of utils.py beside it.
    names = {path.name for path in folder.iterdir()} - {"__pycache__"}
    assert names == {"documents.jsonl", "listenbench.yaml", "utils.py"}
    assert config["task"] == "listen-0"
    assert config["output_type"] == "generate_until"
    assert config["generation_kwargs"]["do_sample"] is False


def test_a_document_is_a_question_a_recording_and_an_answer(config, documents, dataset):
    gold = dataset.gold()
    assert [document["id"] for document in documents] == [item.id for item in dataset]
    for item, document in zip(dataset.items[:6], documents, strict=False):
        assert document[config["doc_to_text"]] == item.question
        assert document[config["doc_to_target"]] == gold[item.id]["answer"]
        (sound,) = config["doc_to_visual"](document)
        assert sound["sampling_rate"] == 44_100
        assert np.array_equal(sound["array"], item.audio)


def test_figures_are_those_of_the_scorer(config, documents, dataset, tmp_path):
    heard = predict("dsp", dataset)

    def reply(document):
        letter = heard[document["id"]]
        return f"The answer is {letter}." if document["task"] != "timbre" else "I can't tell."

    args = SimpleNamespace(output_path=str(tmp_path), model="qwen2_audio")
    found = evaluated(config, documents, reply, args)
    assert found.pop("answers_written") == len(dataset)
    scored = score(tmp_path / "submissions" / "listenbench_predictions.jsonl", dataset.folder, resamples=100)
    assert scored.predictions.meta["model"] == "qwen2_audio"
    assert found == {
        name: pytest.approx(float(scored.figures[name].value))
        for name in ("clean_accuracy", "acc_fs", "miss_rate", "false_flip_rate")
    }
    assert 0 < found["acc_fs"] < 1


@pytest.mark.parametrize(("reply", "acc_fs"), [("A", 0.5), ("", 0.0)])
def test_who_does_not_hear(config, documents, tmp_path, reply, acc_fs):
    found = evaluated(config, documents, lambda _document: reply, SimpleNamespace(output_path=tmp_path))
    assert found["acc_fs"] == acc_fs
    assert found["miss_rate"] + found["false_flip_rate"] == 2 - 2 * acc_fs


def test_the_right_letter_scores_everything(config, documents, tmp_path):
    args = SimpleNamespace(output_path=tmp_path)
    found = evaluated(config, documents, lambda document: document["answer"], args)
    assert (found["clean_accuracy"], found["acc_fs"], found["miss_rate"]) == (1.0, 1.0, 0.0)


def test_a_part_of_the_documents_without_flip_files_has_no_acc_fs(config, documents, tmp_path):
    part = [document for document in documents if document["condition"] == "stay"]
    found = evaluated(
        config, part, lambda document: document["answer"], SimpleNamespace(output_path=tmp_path)
    )
    assert np.isnan(found["acc_fs"])
    assert found["false_flip_rate"] == 0.0


def test_a_folder_is_written_once_and_whole(dataset, folder, tmp_path, capsys):
    arguments = ["lmms-eval", "--data", str(dataset.folder), "--out"]
    assert run([*arguments, str(folder)]) == 2
    assert "it is there already" in capsys.readouterr().err
    (tmp_path / "file").write_text("", "utf-8")
    assert run([*arguments, str(tmp_path / "file" / "task")]) == 2
    assert "can't write this folder" in capsys.readouterr().err
    assert run([*arguments, str(tmp_path / "task"), "--name", "a b: c"]) == 2
    assert "a task's name consists of" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_damaged_key_is_refused(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(type(dataset), "gold", lambda _self: {})
    with pytest.raises(DataError, match=r"no whole row for item \w+ in gold\.jsonl"):
        write_task_folder(dataset, tmp_path / "task")
    assert not list(tmp_path.iterdir())
