#!/usr/bin/env python3
"""Figures of vector plans, and how near they are to the survey that their pixels came from.

  truth.py PLANS.gpkg                 the figures of plans
  truth.py PLANS.gpkg SURVEY.gpkg     beside those of the survey's own polygons on the same ground

Both have layers `buildings` and `roads` in one coordinate system, in metres; PLANS has `tiles`, too.
Needs the Python of GDAL (python3-gdal).
"""
import argparse
import math
import statistics

from osgeo import ogr

ogr.UseExceptions()

STRAIGHT = 0.05  # metres: a vertex nearer to the line between its neighbours is no corner
SMALLEST = 12.0  # square metres
CROSSING = 0.01  # square metres of a building on a road that count


def polygons(geometry):
    """All polygons of a geometry, however nested."""
    if geometry is None or geometry.IsEmpty():
        return []
    if ogr.GT_Flatten(geometry.GetGeometryType()) == ogr.wkbPolygon:
        return [geometry.Clone()]
    return [p for part in geometry for p in polygons(part)]


def layer(dataset, name):
    return [p for feature in dataset.GetLayerByName(name) for p in polygons(feature.geometry())]


def united(parts):
    collection = ogr.Geometry(ogr.wkbMultiPolygon)
    for part in parts:
        collection.AddGeometry(part)
    return collection.UnionCascaded()


class Index:
    """Finds polygons by where they lie, on a grid of 100 m."""

    def __init__(self, parts):
        self.parts = parts
        self.cells = {}
        for number, part in enumerate(parts):
            for cell in self.covered(part):
                self.cells.setdefault(cell, []).append(number)

    @staticmethod
    def covered(part):
        west, east, south, north = (int(v // 100) for v in part.GetEnvelope())
        return [(x, y) for x in range(west, east + 1) for y in range(south, north + 1)]

    def near(self, part):
        found = {n for cell in self.covered(part) for n in self.cells.get(cell, [])}
        return [self.parts[n] for n in sorted(found) if self.parts[n].Intersects(part)]


def clipped(parts, tiles):
    """The parts on the tiles; a piece over a border of two tiles stays whole."""
    kept = []
    for part in parts:
        below = tiles.near(part)
        if below:
            kept += polygons(part.Intersection(united(below)))
    return kept


def on_edge(x, y, extents):
    """Where a tile ends it cuts a building, at whatever angle."""
    return any(
        min(abs(x - west), abs(x - east), abs(y - south), abs(y - north)) < 0.01
        and west - 0.01 < x < east + 0.01 and south - 0.01 < y < north + 0.01
        for west, east, south, north in extents)


def corners(polygon, tiles):
    """Interior angles in degrees of the corners of all rings, but for those on a tile's edge."""
    found = []
    extents = [tile.GetEnvelope() for tile in tiles.near(polygon)]
    for ring in polygon:
        points = [ring.GetPoint_2D(i) for i in range(ring.GetPointCount() - 1)]
        changed = True
        while changed and len(points) > 3:
            changed = False
            for i, (x, y) in enumerate(points):
                (ax, ay), (bx, by) = points[i - 1], points[(i + 1) % len(points)]
                long = math.hypot(bx - ax, by - ay)
                off = abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / long if long else 0
                if off < STRAIGHT:
                    del points[i]
                    changed = True
                    break
        for i, (x, y) in enumerate(points):
            if on_edge(x, y, extents):
                continue
            (ax, ay), (bx, by) = points[i - 1], points[(i + 1) % len(points)]
            turn = math.atan2(ay - y, ax - x) - math.atan2(by - y, bx - x)
            found.append(math.degrees(turn) % 360)
    return found


def lies_on(building, tiles):
    """How many tiles have more than a square metre of it."""
    pieces = [tile.Intersection(building) for tile in tiles.near(building)]
    return sum(sum(p.Area() for p in polygons(piece)) > 1 for piece in pieces)


def figures(buildings, roads, tiles):
    """`roads` may overlap: those of the survey are the surfaces of single lines."""
    angles = [corners(b, tiles) for b in buildings]
    right = sum(abs(a % 180 - 90) < 10 for each in angles for a in each)
    streets = Index(roads)
    crossing = 0
    for building in buildings:
        near = [street.Intersection(building) for street in streets.near(building)]
        crossing += sum(p.Area() for part in near for p in polygons(part)) > CROSSING
    return {
        "buildings": len(buildings),
        "area of buildings, m2": sum(b.Area() for b in buildings),
        "area of roads, m2": united(roads).Area(),
        "median vertices": statistics.median(len(a) for a in angles),
        "mean vertices": statistics.mean(len(a) for a in angles),
        "right angles, %": 100 * right / sum(len(a) for a in angles),
        "with courtyards": sum(b.GetGeometryCount() > 1 for b in buildings),
        "over tile borders": sum(lies_on(b, tiles) > 1 for b in buildings),
        f"under {SMALLEST:g} m2": sum(b.Area() < SMALLEST - 0.01 for b in buildings),
        "on a road": crossing,
    }


def one_way(a, b):
    border = b.Boundary()
    farthest = 0
    for ring in a:
        for i in range(ring.GetPointCount()):
            point = ogr.Geometry(ogr.wkbPoint)
            point.AddPoint_2D(*ring.GetPoint_2D(i))
            farthest = max(farthest, border.Distance(point))
    return farthest


def agreement(plans, survey):
    """Of the areas as a whole, and building by building."""
    index = Index(plans)
    both, matched, distances = 0, [], []
    for building in survey:
        best, found = 0, None
        for plan in index.near(building):
            common = plan.Intersection(building).Area()
            both += common
            share = common / (plan.Area() + building.Area() - common)
            if share > best:
                best, found = share, plan
        if best > 0.5:
            matched.append(best)
            distances.append(max(one_way(found, building), one_way(building, found)))
    either = sum(p.Area() for p in plans) + sum(p.Area() for p in survey) - both
    return {
        "IoU of all": both / either,
        "matched (IoU > 0.5), %": 100 * len(matched) / len(survey),
        "mean IoU of matched": statistics.mean(matched),
        "median Hausdorff, m": statistics.median(distances),
    }


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("plans")
    words.add_argument("survey", nargs="?")
    words.add_argument("--prefix", default="", help="of the layers of PLANS")
    asked = words.parse_args()
    dataset = ogr.Open(asked.plans)
    plans = layer(dataset, asked.prefix + "buildings")
    tiles = Index(layer(dataset, asked.prefix + "tiles"))
    rows = figures(plans, layer(dataset, asked.prefix + "roads"), tiles)
    beside, near = {}, {}
    if asked.survey:
        truth = ogr.Open(asked.survey)
        roads = clipped(layer(truth, "roads"), tiles)
        joined = polygons(united(clipped(layer(truth, "buildings"), tiles)))
        joined = [b for b in joined if b.Area() >= SMALLEST]  # as tracing leaves smaller ones out
        beside = figures(joined, roads, tiles)
        near = agreement(plans, joined)
    for key, value in rows.items():
        other = f" {beside[key]:12.6g}" if key in beside else ""
        print(f"{key:24s} {value:12.6g}{other}")
    for key, value in near.items():
        print(f"{key:24s} {value:12.4g}")


if __name__ == "__main__":
    main()
