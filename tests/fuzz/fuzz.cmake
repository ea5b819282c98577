# Fuzz tests of the file readers. With every compiler the stored corpus is replayed (replay.c),
# against the libraries of the build. With clang, libFuzzer also mutates the corpus and tries 20000
# inputs. For a long search:
#     BUILD/tests/fuzz/search_NAME -max_total_time=600 -max_len=4096 FOUND tests/fuzz/corpus/NAME
#
# add_fuzz_test(NAME [SOURCES ...] [LIBRARIES ...]): SOURCES are compiled again for the search, with
# the instrumentation of libFuzzer; all else comes from LIBRARIES.
function(add_fuzz_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
    list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
    set(targets fuzz_replay_${name})
    add_executable(fuzz_replay_${name} fuzz/${name}.c fuzz/replay.c)
    if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT FATHOM_SANITIZE AND NOT FATHOM_COVERAGE)
        list(APPEND targets fuzz_search_${name})
        add_executable(fuzz_search_${name} fuzz/${name}.c ${ARG_SOURCES})
    endif()
    foreach(target ${targets})
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
            ${PROJECT_SOURCE_DIR}/include)
        target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES} fathom_static fathom_flags m)
        string(REPLACE fuzz_ "" output ${target})
        set_target_properties(${target} PROPERTIES
            OUTPUT_NAME ${output} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
        add_dependencies(quick_tests ${target})
    endforeach()
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
    add_test(NAME fuzz/${name} COMMAND fuzz_replay_${name} ${corpus})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 300)
    if(TARGET fuzz_search_${name})
        set(checks -fsanitize=fuzzer,address,undefined)
        target_compile_options(fuzz_search_${name} PRIVATE -g -O1 ${checks}
            -fno-sanitize-recover=all)
        target_link_options(fuzz_search_${name} PRIVATE ${checks})
        set(found ${PROJECT_BINARY_DIR}/tests/fuzz/found-${name})
        file(MAKE_DIRECTORY ${found})
        set(dictionary)
        if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict)
            set(dictionary -dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict)
        endif()
        add_test(NAME fuzz/search_${name} COMMAND fuzz_search_${name} -runs=20000 -seed=1 -timeout=20
            -max_len=4096 ${dictionary} -artifact_prefix=${found}- ${found} ${corpus})
        set_tests_properties(fuzz/search_${name} PROPERTIES LABELS fuzz TIMEOUT 300)
    endif()
endfunction()

set(files src/core/error.c src/core/file.c src/core/text.c)
add_fuzz_test(obj SOURCES ${files} src/geometry/mesh.c src/geometry/obj_read.c)
if(FATHOM_IO)
    add_fuzz_test(vtk SOURCES ${files} src/io/cache.c src/geometry/mesh.c src/geometry/surface.c
        src/io/file.c src/io/vtk_read.c LIBRARIES fathom_io EXPAT::EXPAT)
    add_fuzz_test(point_cache SOURCES ${files} src/io/file.c src/io/point_cache_read.c
        LIBRARIES fathom_io)
    # the modules that restore the world of the test, which has one cloth, and advance it
    get_target_property(restoring fathom_objects SOURCES)
    list(FILTER restoring INCLUDE REGEX "^src/(cloth|core|memory|world)/")
    list(FILTER restoring EXCLUDE REGEX version.c) # needs the version of the project
    add_fuzz_test(checkpoint SOURCES ${restoring} src/io/file.c src/io/checkpoint.c
        LIBRARIES fathom_io)
endif()
