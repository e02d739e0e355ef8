# Untested: a recipe for Spack, written without one at hand; only its syntax is checked. Put it into a repository of
# your own as packages/compeer/package.py (spack repo create), set `git` to where your sources are, and:
# spack install compeer
from spack.package import *


class Compeer(CMakePackage):
    """Experiment runner for structured empathetic reasoning by reinforcement learning."""

    git = "file:///path/to/compeer"
    license("Apache-2.0")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")

    # The sources are written for this version; headers and two libraries of it are used, through its Python package.
    depends_on("py-torch@2.11 ~cuda ~rocm ~distributed")
    depends_on("mpi")
    depends_on("openssl@3:")
    depends_on("xxhash")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus@3.3:")
    depends_on("lua@5.4")  # compiled as C++ (lua5.4-c++), which Spack's package may not offer
    depends_on("hdf5@1.10: ~mpi")
    depends_on("boost@1.74: +filesystem")
    depends_on("highway")
    depends_on("pcre2")
    depends_on("utf8proc")
    depends_on("zlib-api")
    depends_on("libpng")
    depends_on("libjpeg-turbo")
    depends_on("cli11@2.1:")
    depends_on("curl@7.85:")
    depends_on("googletest@1.12:")

    generator("ninja")

    def cmake_args(self):
        torch = join_path(self.spec["py-torch"].prefix, self.spec["python"].package.platlib)
        return [self.define("COMPEER_TORCH_ROOT", torch)]
