"""Figures of tiles by other people's programs, beside those of a report: oracles.py REPORT.json PLANS.h5 TILES.h5"""
import itertools, json, math, sys, warnings
import h5py, geopandas, momepy, numpy, pylandstats, shapely
from scipy import ndimage, spatial, stats
from skimage import measure, morphology

warnings.filterwarnings("ignore")
ROAD, BUILDING = 1, 2
EIGHT = numpy.ones((3, 3))


def landscape(tile, metres, cover, key):
    area = int((tile == cover).sum())
    hectares = tile.size * metres**2 / 10000
    if area == 0:
        return {f"{key}_pland": [0], f"{key}_np": [0], f"{key}_pd": [0], f"{key}_lpi": [0], f"{key}_ed": [0],
                f"{key}_lsi": [], f"{key}_ai": [], f"{key}_frac_mn": []}
    # A class of 0 is no data there.
    land = pylandstats.Landscape(tile + 1, res=(metres, metres), nodata=0)
    c = cover + 1
    fractal = land.fractal_dimension(class_val=c)
    large = land.area(class_val=c, hectares=False) >= 10
    side = math.isqrt(area)
    rest = area - side**2
    fewest = 4 * side + (0 if rest == 0 else 2 if rest <= side else 4)
    most = 2 * side * (side - 1) + (0 if rest == 0 else 2 * rest - 1 if rest <= side else 2 * rest - 2)
    is_cover = tile == cover
    alike = (is_cover[1:] & is_cover[:-1]).sum() + (is_cover[:, 1:] & is_cover[:, :-1]).sum()
    return {f"{key}_pland": [land.proportion_of_landscape(class_val=c)],
            f"{key}_np": [land.number_of_patches(class_val=c)],
            f"{key}_pd": [land.patch_density(class_val=c)],
            f"{key}_lpi": [land.largest_patch_index(class_val=c)],
            f"{key}_ed": [land.total_edge(class_val=c, count_boundary=False) / hectares],
            f"{key}_lsi": [land.total_edge(class_val=c, count_boundary=True) / metres / fewest],
            f"{key}_ai": [100 * alike / most] if most else [],
            f"{key}_frac_mn": [fractal[large].mean()] if large.any() else []}


def right_angles(pixels):
    """The share of right corners; None where there are fewer than three."""
    # Narrower by a quarter of a pixel, pixels that only touch at a corner lie apart.
    narrow = shapely.geometry.polygon.orient(pixels.buffer(-0.25, join_style="mitre"))
    ring = numpy.round(narrow.exterior.coords).astype(int)[:-1]
    ways = numpy.sign(ring - numpy.roll(ring, 1, 0))
    ring = ring[(ways != numpy.roll(ways, -1, 0)).any(1)]
    ring = numpy.roll(ring, -numpy.lexsort(ring.T)[0], 0)
    ring = numpy.roll(ring, -(((ring * len(ring) - ring.sum(0))**2).sum(1)).argmax(), 0)
    split = ((ring - ring[0])**2).sum(1).argmax()
    halves = [shapely.LineString(half).simplify(math.sqrt(2) - 1e-9, preserve_topology=False).coords[:-1]
              for half in (ring[:split + 1], numpy.vstack([ring[split:], ring[:1]]))]
    corners = numpy.concatenate(halves)
    if len(corners) < 3:
        return None
    x, y = (numpy.roll(corners, -1, 0) - corners).T
    turns = numpy.degrees(numpy.diff(numpy.arctan2(y, x), append=math.atan2(y[0], x[0]))) % 180
    return (abs(turns - 90) <= 10).mean()


def buildings(tile, metres):
    labels, count = measure.label(tile == BUILDING, connectivity=1, return_num=True)
    found = {f"building_{k}": [] for k in ("area", "shape", "elongation", "orientation", "rectangularity",
                                           "right_angles", "courtyards", "spacing")}
    found["building_count"] = [count / (tile.size * metres**2 / 10000)]
    if count == 0:
        return found
    outlines = []
    for n in range(1, count + 1):
        one = labels == n
        found["building_area"].append(one.sum() * metres**2)
        found["building_shape"].append(measure.perimeter_crofton(one, directions=4) / 4 / math.sqrt(one.sum()))
        found["building_courtyards"].append(1 - measure.euler_number(one, connectivity=1))
        ys, xs = numpy.nonzero(one)
        outlines.append(shapely.union_all(shapely.box(xs, ys, xs + 1, ys + 1)))
    frame = geopandas.GeoDataFrame(geometry=outlines)
    found["building_elongation"] = list(momepy.elongation(frame))
    found["building_orientation"] = list(momepy.orientation(frame))
    found["building_rectangularity"] = list(momepy.rectangularity(frame))
    found["building_right_angles"] = [share for share in map(right_angles, outlines) if share is not None]
    if count > 1:
        apart = shapely.distance(frame.values, frame.values.T)
        numpy.fill_diagonal(apart, numpy.inf)
        found["building_spacing"] = list(apart.min(1) * metres)
    return found


def roads(tile, metres):
    is_road = tile == ROAD
    pixels, hectares = len(tile), tile.size * metres**2 / 10000
    margin = max(4, pixels // 8)
    skeleton = morphology.thin(numpy.pad(is_road, margin, mode="edge"))
    nodes = set(zip(*map(list, numpy.nonzero(skeleton))))
    inside = {p for p in nodes if all(0 <= v - margin < pixels for v in p)}
    ends = {}
    for y, x in nodes:
        straight = [(y + dy, x + dx) for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        slanted = [(y + dy, x + dx) for dy, dx in itertools.product((-1, 1), repeat=2)
                   if (y + dy, x) not in nodes and (y, x + dx) not in nodes]
        ends[y, x] = [(p, 1) for p in straight if p in nodes] + [(p, math.sqrt(2)) for p in slanted if p in nodes]
    meeting = numpy.zeros(skeleton.shape, bool)
    for p in inside:
        meeting[p] = len(ends[p]) >= 3
    dead = sum(len(ends[p]) <= 1 for p in inside)
    exits = sum(q not in inside for p in inside for q, _ in ends[p])
    sizes = numpy.bincount(ndimage.label(is_road, EIGHT)[0].ravel())[1:]
    blocks = numpy.bincount(ndimage.label(~is_road)[0].ravel())[1:]
    return {"road_area": [is_road.sum() * metres**2 / hectares],
            "road_length": [sum(d for p in inside for _, d in ends[p]) / 2 * metres / hectares],
            "road_junctions": [100 * ndimage.label(meeting, EIGHT)[1] / hectares],
            "road_dead_ends": [100 * dead / hectares],
            "road_largest": [sizes.max() / sizes.sum()] if len(sizes) else [],
            "road_continuation": [exits / (exits + dead)] if exits + dead else [],
            "block_count": [len(blocks) / hectares],
            "block_area": list(blocks * metres**2),
            "block_largest": [blocks.max() / blocks.sum() if len(blocks) else 0]}


def boxes(tile, cover, key):
    mask = tile == cover
    sides = [s for s in (2, 4, 8, 16, 32, 64) if 2 * s <= len(tile)]
    if not mask.any():
        return {f"{key}_box_dimension": [], f"{key}_box_r2": []}
    counts = [mask.reshape(len(tile) // s, s, len(tile) // s, s).any((1, 3)).sum() for s in sides]
    line = stats.linregress(-numpy.log(sides), numpy.log(counts))
    return {f"{key}_box_dimension": [line.slope], f"{key}_box_r2": [line.rvalue**2]}


def spectrum(tile):
    n = len(tile)
    power = sum((abs(numpy.fft.rfft(tile == cover, axis=axis))**2).mean(1 - axis)
                for cover in (ROAD, BUILDING) for axis in (0, 1))
    if not (power[1:] > 1e-9).all():
        return {"spectrum_slope": [], "spectrum_nyquist": [], "spectrum_half_nyquist": []}
    line = numpy.polyfit(numpy.log(numpy.arange(1, n // 4 + 1)), numpy.log(power[1:n // 4 + 1]), 1)
    beside = power[[n // 4 - 2, n // 4 - 1, n // 4 + 1, n // 4 + 2]].mean()
    return {"spectrum_slope": [line[0]],
            "spectrum_nyquist": [10 * math.log10(power[n // 2] / power[n // 2 - 4:n // 2].mean())],
            "spectrum_half_nyquist": [10 * math.log10(power[n // 4] / beside)]}


def figures(tile, metres):
    return {**landscape(tile, metres, BUILDING, "building"), **landscape(tile, metres, ROAD, "road"),
            **buildings(tile, metres), **roads(tile, metres), **boxes(tile, BUILDING, "building"),
            **boxes(tile, ROAD, "road"), **spectrum(tile)}


def mmd(a, b):
    points = numpy.vstack([a, b])
    squared = spatial.distance.pdist(points, "sqeuclidean")
    middle = numpy.sort(squared)[len(squared) // 2]
    kernel = numpy.exp(-spatial.distance.squareform(squared) / (2 * middle))
    n, m = len(a), len(b)
    within = lambda k: (k.sum() - numpy.trace(k)) / len(k) / (len(k) - 1)
    return within(kernel[:n, :n]) + within(kernel[n:, n:]) - 2 * kernel[:n, n:].mean()


def nearest(tiles, among):
    turned = [numpy.rot90(t, k, (1, 2)) for t in (among, among[:, ::-1]) for k in range(4)]
    return numpy.array([min((t != tile).mean((1, 2)).min() for t in turned) for tile in tiles])


def pyramid(images):
    """Differences to the next smaller level of each, and the smallest, of 16 pixels."""
    def blur(x, weight):
        for axis in (2, 3):
            x = ndimage.correlate1d(x, weight * numpy.array([1, 4, 6, 4, 1]) / 16, axis, mode="mirror")
        return x
    while images.shape[2] > 16:
        smaller = blur(images, 1)[:, :, ::2, ::2]
        larger = numpy.zeros_like(images)
        larger[:, :, ::2, ::2] = smaller
        yield images - blur(larger, 2)
        images = smaller
    yield images


def patches(level, chance):
    corners = chance.integers(0, level.shape[2] - 6, (len(level), 128, 2))
    found = numpy.stack([level[i, :, y:y + 7, x:x + 7] for i, some in enumerate(corners) for y, x in some])
    found = (found - found.mean((0, 2, 3), keepdims=True)) / found.std((0, 2, 3), keepdims=True)
    return found.reshape(len(found), -1)


def sliced_wasserstein(a, b):
    """Karras et al., arXiv 1710.10196, the mean of three draws of patches and directions."""
    chance = numpy.random.default_rng(7)
    found = []
    for level in 3 * list(zip(pyramid(a), pyramid(b))):
        directions = chance.normal(size=(level[0].shape[1] * 49, 512))
        directions /= numpy.linalg.norm(directions, axis=0)
        along = [numpy.sort(patches(images, chance) @ directions, axis=0) for images in level]
        found.append(1000 * abs(along[0] - along[1]).mean())
    return numpy.mean(found)


def spread(rows, count):
    return [rows[i * len(rows) // count] for i in range(count)]


def read(name):
    with h5py.File(name) as store:
        split = store["split"][:]
        tiles = store["tiles"][:].astype(numpy.uint8)
        return tiles, numpy.nonzero(split == 0)[0], numpy.nonzero(split == 1)[0], float(store.attrs["tile_metres"])


report = json.load(open(sys.argv[1]))
plans, _, _, metres = read(sys.argv[2])
tiles, train, test, _ = read(sys.argv[3])
count, metres = report["count"], metres / report["pixels"]
assert tiles.shape[1] == report["pixels"], "compared as stored"
sets = {"plans": plans[spread(range(len(plans)), count)], "test": tiles[spread(test, count)],
        "training": tiles[spread(train, count)]}
theirs = {name: [figures(tile, metres) for tile in some] for name, some in sets.items()}
pooled = {name: {key: numpy.concatenate([t[key] for t in some]) for key in some[0]} for name, some in theirs.items()}
worst = 0


def compare(what, ours, oracle, tolerance=1e-5):
    global worst
    apart = abs(ours - oracle) / max(abs(oracle), 1e-3)
    if apart > tolerance:
        worst += 1
        print(f"  {what}: {ours:.8g} here, {oracle:.8g} there")


compared = 0
for group in report["groups"]:
    for row in group["figures"]:
        key = row["key"]
        # Where two rectangles are equally small, shapely may take the other one.
        tolerance = {"building_elongation": 5e-3, "building_orientation": 0.1}.get(key, 1e-5)
        for name in sets:
            compare(f"{key} of {name}", row["mean"][name], pooled[name][key].mean(), tolerance)
        for name in ("plans", "training"):
            if tolerance > 1e-5:
                continue
            compare(f"{key}, W1 of {name}", row["wasserstein"][name],
                    stats.wasserstein_distance(pooled[name][key], pooled["test"][key]), 10 * tolerance)
            # Equal values may differ in their last bits from one program to the other.
            a, b = (numpy.round(pooled[n][key], 9) for n in (name, "test"))
            compare(f"{key}, KS of {name}", row["ks"][name], stats.ks_2samp(a, b).statistic)
        compared += 1
by_tile = {name: numpy.array([[numpy.mean(tile[row["key"]]) if len(tile[row["key"]]) else numpy.nan
                               for group in report["groups"] for row in group["figures"]] for tile in some])
           for name, some in theirs.items()}
middle, scale = numpy.nanmean(by_tile["test"], 0), numpy.nanstd(by_tile["test"], 0, ddof=1)
for values in by_tile.values():
    values[:] = numpy.where(numpy.isnan(values) | (scale == 0), 0, (values - middle) / numpy.where(scale > 0, scale, 1))
for name in ("plans", "training"):
    compare(f"MMD of {name}", report["sets"]["mmd"][name], mmd(by_tile[name], by_tile["test"]), 0.02)
    one_hot = numpy.stack([sets[name] == cover for cover in range(3)]).astype(float)
    pairs = numpy.mean([abs(one_hot[:, i] - one_hot[:, j]).mean() for i, j in itertools.combinations(range(count), 2)])
    compare(f"difference of {name}", report["sets"]["stored_difference"][name], pairs)
    images = [numpy.stack([sets[n] == cover for cover in range(3)], 1) * 2.0 - 1 for n in (name, "test")]
    compare(f"distance of {name}", report["sets"]["stored_distance"][name], sliced_wasserstein(*images), 0.1)
if report["pixels"] <= 64:
    assert report["copies"]["training_tiles"] == len(train)
    for name in ("plans", "test"):
        compare(f"nearest of {name}", report["copies"][name], nearest(sets[name], tiles[train]).mean())
print(f"{report['pixels']} pixels, {count} tiles of each set: {compared} figures compared, {worst} values differ")
sys.exit(worst > 0)
