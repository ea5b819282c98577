# Fuzz tests of the file readers. With every compiler the stored corpus is replayed; with clang
# libFuzzer also searches from it for 20000 runs. For a long search:
#     BUILD/tests/fuzz/search_NAME -max_total_time=600 -max_len=4096 FOUND tests/fuzz/corpus/NAME
function(add_fuzz_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
    list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)
    set(kinds replay)
    if(CMAKE_C_COMPILER_ID MATCHES Clang AND NOT FATHOM_SANITIZE AND NOT FATHOM_COVERAGE)
        list(APPEND kinds search)
    endif()
    foreach(kind ${kinds})
        set(target fuzz_${kind}_${name})
        add_executable(${target} fuzz/${name}.c ${ARG_SOURCES}) # compiled here, so that all is instrumented
        target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
            ${PROJECT_SOURCE_DIR}/include)
        target_link_libraries(${target} PRIVATE fathom_flags ${ARG_LIBRARIES} m Threads::Threads)
        set_target_properties(${target} PROPERTIES
            OUTPUT_NAME ${kind}_${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
    endforeach()
    set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
    target_sources(fuzz_replay_${name} PRIVATE fuzz/replay.c)
    add_test(NAME fuzz/${name} COMMAND fuzz_replay_${name} ${corpus})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT 300)
    if(search IN_LIST kinds)
        set(checks -fsanitize=fuzzer,address,undefined)
        target_compile_options(fuzz_search_${name} PRIVATE -g -O1 ${checks}
            -fno-sanitize-recover=all)
        target_link_options(fuzz_search_${name} PRIVATE ${checks})
        set(found ${PROJECT_BINARY_DIR}/tests/fuzz/found-${name})
        file(MAKE_DIRECTORY ${found})
        set(words)
        if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict)
            set(words -dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict)
        endif()
        add_test(NAME fuzz/search_${name} COMMAND fuzz_search_${name} -runs=20000 -seed=1 -timeout=20
            -max_len=4096 ${words} -artifact_prefix=${found}- ${found} ${corpus})
        set_tests_properties(fuzz/search_${name} PROPERTIES LABELS fuzz TIMEOUT 300)
    endif()
endfunction()

add_fuzz_test(obj SOURCES src/core/error.c src/core/file.c src/core/text.c src/geometry/mesh.c src/geometry/obj_read.c)
if(FATHOM_IO)
    set(io src/core/error.c src/core/file.c src/core/text.c src/io/cache.c src/geometry/mesh.c src/geometry/surface.c src/io/file.c src/io/vtk_read.c)
    add_fuzz_test(vtk SOURCES ${io} LIBRARIES EXPAT::EXPAT)
    add_fuzz_test(point_cache SOURCES src/core/error.c src/core/file.c src/core/text.c src/io/file.c src/io/point_cache_read.c)
    get_target_property(core_sources fathom_objects SOURCES)
    list(FILTER core_sources EXCLUDE REGEX version.c)
    add_fuzz_test(checkpoint SOURCES ${core_sources} src/io/file.c src/io/checkpoint.c)
endif()
