"""Recipe for Spack 1.0 and later: `spack repo add jobs/spack/spack_repo/civitas`, then `spack install civitas`."""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Civitas(CMakePackage):
    """Learns to draw city plans: trains GANs on tiles of cadastral maps over a mesh of data, pipe and tensor axes."""

    # The clone that this recipe is part of: what is committed there is what is built.
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    version("main", branch="main")

    variant("cuda", default=False, description="Use GPUs, through libtorch's CUDA libraries and NCCL")
    variant("preprocess", default=True, description="Build civitas-preprocess and civitas-vectorize")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    depends_on("mpi")
    depends_on("hdf5@1.10.7: +mpi")
    depends_on("boost@1.74: +program_options")
    depends_on("nlohmann-json@3.11:")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("random123")
    depends_on("xxhash")
    depends_on("py-torch@2.11 ~cuda", when="~cuda")
    depends_on("py-torch@2.11 +cuda", when="+cuda")

    with when("+cuda"):
        depends_on("cuda@12:")
        depends_on("nccl")

    with when("+preprocess"):
        depends_on("gdal@3.6:")
        depends_on("geos@3.11:")
        depends_on("expat@2.4:")

    def cmake_args(self):
        torch, python = self.spec["py-torch"], self.spec["python"]
        return [
            self.define("CIVITAS_TESTS", False),
            self.define_from_variant("CIVITAS_CUDA", "cuda"),
            self.define_from_variant("CIVITAS_PREPROCESS", "preprocess"),
            self.define("TORCH_ROOT", join_path(torch.prefix, python.package.platlib, "torch")),
        ]
