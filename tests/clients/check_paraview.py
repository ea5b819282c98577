# SPDX-License-Identifier: MIT
# pvpython check_paraview.py DIR FIXTURE
# ParaView opens the .pvd of a run: time steps, points and fields must match the CSV export. Then
# Fathom reads a file that ParaView wrote.
import csv
import json
import os
import subprocess
import sys

from paraview import servermanager, simple
from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

directory, fixture = sys.argv[1:3]


def read_expected(name):
    """Rows of the CSV export of an object, by frame."""
    frames = {}
    with open(os.path.join(directory, "exports", name + ".csv")) as table:
        for row in csv.DictReader(table):
            frames.setdefault(int(row["frame"]), []).append(row)
    return frames


def check_frame(data, rows):
    """Compares points and fields of a frame with the rows of the CSV export."""
    assert data.GetNumberOfPoints() == len(rows)
    fields = data.GetPointData()
    velocity, stretch = fields.GetArray("velocity"), fields.GetArray("stretch")
    for i, row in enumerate(rows):
        assert all(abs(a - float(row[k])) < 1e-7 for a, k in zip(data.GetPoint(i), "xyz"))
        assert all(abs(a - float(row["velocity." + k])) < 1e-6
                   for a, k in zip(velocity.GetTuple3(i), "xyz"))
        assert abs(stretch.GetTuple1(i) - float(row["stretch"])) < 1e-6
    assert fields.GetNormals().GetName() == "normal"


def check_pvd(path, name):
    """Checks every time step of a .pvd file. Returns the data of the last one."""
    expected = read_expected(name)
    reader = simple.PVDReader(FileName=path)
    times = list(reader.TimestepValues)
    assert len(times) == len(expected), times
    for frame, rows in expected.items():
        assert abs(times[frame] - float(rows[0]["time"])) < 1e-12
        reader.UpdatePipeline(times[frame])
        data = servermanager.Fetch(reader)
        check_frame(data, rows)
        kind = data.GetFieldData().GetAbstractArray("kind")
        assert kind.GetNumberOfTuples() == 1 and kind.GetValue(0) == "cloth"
    print(f"{path}: {len(times)} steps to {times[-1]} s, {data.GetNumberOfPoints()} points, "
          f"{data.GetNumberOfPolys()} polygons, {data.GetPointData().GetNumberOfArrays()} fields")
    return data


def check_fathom_reads(data):
    """ParaView writes the data, with 32-bit and 64-bit headers, and Fathom reads them back."""
    path = os.path.join(directory, "paraview.vtp")
    for wide in (False, True):
        writer = vtkXMLPolyDataWriter()
        writer.SetFileName(path)
        writer.SetInputData(data)
        writer.SetDataModeToAppended()
        writer.EncodeAppendedDataOff()
        writer.SetCompressorTypeToNone()
        if wide:
            writer.SetHeaderTypeToUInt64()
        writer.Write()
        answer = subprocess.run([fixture, "--read", path], capture_output=True, text=True)
        assert answer.returncode == 0, answer.stderr
        read_back = json.loads(answer.stdout)
        assert read_back["points"] == data.GetNumberOfPoints()
        assert read_back["faces"] == data.GetNumberOfPolys()
        assert data.GetPointData().GetTCoords().GetName() == "uv"  # which Fathom reads as such
        assert read_back["fields"] == data.GetPointData().GetNumberOfArrays() - 1
        total = sum(sum(data.GetPoint(i)) for i in range(data.GetNumberOfPoints()))
        assert abs(read_back["sum"] - total) < 1e-4
        print("Fathom read ParaView's file:", read_back)


for name in ("towel", "flag"):
    check_pvd(os.path.join(directory, name + ".pvd"), name)
data = check_pvd(os.path.join(directory, "exports", "towel.pvd"), "towel")
check_fathom_reads(data)
