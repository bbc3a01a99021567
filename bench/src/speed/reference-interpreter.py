"""Runs the reference interpreter on noise and prints the time per clip, one JSON line for each line of input.

    python3 reference-interpreter.py MODEL

MODEL is the .tflite file of the audio model, or a wheel, zip or folder that holds it.
Input, one line per run: {"threads": 1, "clips": 20}. Output: {"msPerClip": 52.6}. The first line of output is {"ready": "2.3.0"}.
"""
import importlib.metadata
import json
import pathlib
import sys
import time
import zipfile

import numpy
from ai_edge_litert.interpreter import Interpreter

NAMES = ("_Model_FP32.tflite", "audio-model.tflite")


def main():
    model = read_model(pathlib.Path(sys.argv[1]))
    interpreters = {}
    noise = numpy.random.default_rng(1).uniform(-0.1, 0.1, (1, 144000)).astype(numpy.float32)
    print(json.dumps({"ready": importlib.metadata.version("ai-edge-litert")}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        threads = asked["threads"]
        if threads not in interpreters:
            interpreter = Interpreter(model_content=model, num_threads=threads)
            interpreter.allocate_tensors()
            interpreters[threads] = interpreter
            run(interpreter, noise, 2)
        seconds = run(interpreters[threads], noise, asked["clips"])
        print(json.dumps({"msPerClip": seconds * 1000 / asked["clips"]}), flush=True)


def read_model(path):
    if path.is_dir():
        return next(file for file in sorted(path.rglob("*.tflite")) if file.name.endswith(NAMES)).read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return archive.read(next(name for name in archive.namelist() if name.endswith(NAMES)))
    return path.read_bytes()


def run(interpreter, clip, clips):
    index = interpreter.get_input_details()[0]["index"]
    output = interpreter.get_output_details()[0]["index"]
    start = time.perf_counter()
    for _ in range(clips):
        interpreter.set_tensor(index, clip)
        interpreter.invoke()
        interpreter.get_tensor(output)
    return time.perf_counter() - start


main()
