# Tests that other programs read Fathom's files correctly. A test is skipped if its program is not
# installed.
add_executable(clients_fixture clients/fixture.c)
target_include_directories(clients_fixture PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(clients_fixture PRIVATE fathom_io fathom_flags)
set_target_properties(clients_fixture PROPERTIES
    OUTPUT_NAME fixture RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/clients)

set(clients_run ${PROJECT_BINARY_DIR}/tests/clients/run)
add_test(NAME clients/fixture COMMAND clients_fixture ${clients_run})
set_tests_properties(clients/fixture PROPERTIES LABELS clients FIXTURES_SETUP clients_run)
if(NOT FATHOM_SANITIZE AND NOT FATHOM_COVERAGE)
    foreach(client blender paraview gltf usd)
        add_test(NAME clients/${client} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/clients/run ${client}
            ${clients_run} $<TARGET_FILE:clients_fixture>)
        set_tests_properties(clients/${client} PROPERTIES LABELS clients SKIP_RETURN_CODE 77
            FIXTURES_REQUIRED clients_run TIMEOUT 300)
    endforeach()
    add_test(NAME clients/velocity COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/clients/run velocity
        ${PROJECT_BINARY_DIR}/tests/clients/flying $<TARGET_FILE:fathom_program>)
    set_tests_properties(clients/velocity PROPERTIES LABELS clients SKIP_RETURN_CODE 77 TIMEOUT 300)
    if(TARGET fathom_vdb)
        add_test(NAME clients/vdb COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/clients/run vdb
            ${PROJECT_BINARY_DIR}/tests/clients/drop $<TARGET_FILE:fathom_program>)
        set_tests_properties(clients/vdb PROPERTIES LABELS clients SKIP_RETURN_CODE 77 TIMEOUT 300)
    endif()
    # these two tests share the cache of npm packages
    set_tests_properties(clients/gltf clients/usd PROPERTIES RESOURCE_LOCK npm)
endif()
