# Every outside library as one target; what is missing is named with the Debian package that has it.
find_package(MPI REQUIRED COMPONENTS C)
add_library(mpi INTERFACE)
target_link_libraries(mpi INTERFACE MPI::MPI_C)
target_compile_definitions(mpi INTERFACE OMPI_SKIP_MPICXX)

set(HDF5_PREFER_PARALLEL ON)
find_program(H5PCC h5pcc)
if(H5PCC AND PROJECT_BINARY_DIR MATCHES " ")
  # FindHDF5 hands h5pcc the whole name of a file in its working folder, and h5pcc cannot read names
  # with blanks.
  set(HDF5_C_COMPILER_EXECUTABLE ${PROJECT_BINARY_DIR}/h5pcc)
  file(WRITE ${HDF5_C_COMPILER_EXECUTABLE} [=[
#!/bin/sh
for word; do set -- "$@" "${word##*/}"; shift; done
exec h5pcc "$@"
]=])
  file(CHMOD ${HDF5_C_COMPILER_EXECUTABLE} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()
find_package(HDF5 1.10.7 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 was built without MPI. Hint: apt install libhdf5-openmpi-dev")
endif()
add_library(hdf5_parallel INTERFACE)
target_link_libraries(hdf5_parallel INTERFACE hdf5::hdf5)

find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.11 REQUIRED)
add_library(json INTERFACE)
target_link_libraries(json INTERFACE nlohmann_json::nlohmann_json)

find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
add_library(random123 INTERFACE)
target_include_directories(random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE})
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(xxhash INTERFACE)
target_include_directories(xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE})

# libtorch by hand: its own CMake package insists on CUDA even for CPU builds.
if(NOT EXISTS ${TORCH_ROOT}/include/ATen/ATen.h)
  message(FATAL_ERROR "No libtorch in ${TORCH_ROOT}. Hint: bash jobs/setup.sh, or -DTORCH_ROOT=DIR")
endif()
add_library(torch INTERFACE)
target_include_directories(torch SYSTEM INTERFACE
  ${TORCH_ROOT}/include ${TORCH_ROOT}/include/torch/csrc/api/include)
target_link_directories(torch INTERFACE ${TORCH_ROOT}/lib)
# at::parallel_for is a template, serial where OpenMP is off. Threads are libtorch's: its own copy of
# the runtime, if it brings one, since a second would be a second set of threads.
file(GLOB TORCH_GOMP ${TORCH_ROOT}/lib/libgomp*.so*)
if(NOT TORCH_GOMP)
  set(TORCH_GOMP gomp)
endif()
target_compile_options(torch INTERFACE -fopenmp)
target_link_libraries(torch INTERFACE torch_cpu c10 ${TORCH_GOMP})
target_link_options(torch INTERFACE -Wl,-rpath,${TORCH_ROOT}/lib)
if(CIVITAS_CUDA)
  find_package(CUDAToolkit REQUIRED)
  find_library(NCCL nccl REQUIRED HINTS ${CUDAToolkit_LIBRARY_DIR})
  get_filename_component(NCCL_FOLDER ${NCCL} DIRECTORY)
  find_path(NCCL_INCLUDE nccl.h REQUIRED HINTS ${NCCL_FOLDER}/../include ${CUDAToolkit_INCLUDE_DIRS})
  foreach(folder ${NCCL_INCLUDE} ${CUDAToolkit_INCLUDE_DIRS})
    list(APPEND CUDA_INCLUDES -isystem ${folder})
  endforeach()
  # Few files include them, and linking differs, so a compiler cache serves both builds.
  target_link_libraries(torch INTERFACE $<LINK_ONLY:CUDA::cudart> ${NCCL}
    -Wl,--no-as-needed ${TORCH_ROOT}/lib/libtorch_cuda.so ${TORCH_ROOT}/lib/libc10_cuda.so
    -Wl,--as-needed)
  target_link_options(torch INTERFACE -Wl,--allow-shlib-undefined)
endif()
