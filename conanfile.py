"""Conan recipe: `conan create .` builds the solver, worlds and mechanisms, with no dependency but libc.

With `-o "talus/*:files=True"` scene files, robots, pictures and problem files too; the libraries that they need come from Conan
Center. The package has both libraries, `talus::talus` and `talus::talus_static`, in the CMake package that Talus installs itself.
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

PARTS = ("HDF5", "PNG", "ZLIB", "YAML", "URDF")  # what `files` stands for


class Talus(ConanFile):
    name = "talus"
    description = "Granular worlds and contact problems: certified impulses"
    license = "Apache-2.0"
    topics = ("contact", "friction", "granular", "dem", "simulation")
    package_type = "shared-library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"files": [True, False]}
    default_options = {"files": False}
    exports_sources = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "docs/*", "host/*", "include/*", "kernels/*")
    test_package_folder = "tests/abi/foreign"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "talus", "talus_base.h"))
        self.version = ".".join(re.findall(r"#define TALUS_VERSION_[A-Z]+ (\d+)", header))

    def configure(self):
        self.settings.rm_safe("compiler.libcxx")  # C alone
        self.settings.rm_safe("compiler.cppstd")

    def requirements(self):
        if self.options.files:
            for needed in ("hdf5/[>=1.10]", "libpng/[>=1.6]", "zlib/[>=1.2.11]", "libyaml/[>=0.2.5]", "expat/[>=2.5]"):
                self.requires(needed)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in PARTS:
            toolchain.cache_variables[f"TALUS_{part}"] = bool(self.options.files)
        for part in ("CUDA", "MPI", "CAIRO", "SUITESPARSE", "LAPACK", "PYTHON", "TESTS", "SAMPLES"):
            toolchain.cache_variables[f"TALUS_{part}"] = "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["talus"]
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "talus")]
        self.cpp_info.set_property("cmake_find_mode", "none")  # Talus installs its own
        self.cpp_info.set_property("pkg_config_name", "none")
