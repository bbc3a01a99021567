"""Runs reference interpreters on noise, each in a process of its own, and prints the time per clip of the slowest, and the version, as JSON.

    python3 reference-interpreter.py MODEL INTERPRETERS THREADS CLIPS

MODEL is the .tflite file of the audio model, or a wheel, zip or folder that holds it.
"""
import importlib.metadata
import json
import multiprocessing
import pathlib
import sys
import time
import zipfile

import numpy
from ai_edge_litert.interpreter import Interpreter

NAMES = ("_Model_FP32.tflite", "audio-model.tflite")


def main():
    model = read_model(pathlib.Path(sys.argv[1]))
    count, threads, clips = map(int, sys.argv[2:])
    fork = multiprocessing.get_context("fork")
    ready, taken = fork.Barrier(count), fork.SimpleQueue()

    def measure():
        interpreter = Interpreter(model_content=model, num_threads=threads)
        interpreter.allocate_tensors()
        noise = numpy.random.default_rng(1).uniform(-0.1, 0.1, (1, 144000)).astype(numpy.float32)
        run(interpreter, noise, 2)
        ready.wait()
        taken.put(run(interpreter, noise, clips))

    for _ in range(count):
        fork.Process(target=measure, daemon=True).start()
    seconds = max(taken.get() for _ in range(count))
    print(json.dumps({"msPerClip": seconds * 1000 / clips, "version": importlib.metadata.version("ai-edge-litert")}))


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
