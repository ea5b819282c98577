# Installation: program, scenes, manual page, headers, libraries, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS fathom_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET fathom_vdb)
    install(TARGETS fathom_vdb LIBRARY DESTINATION lib/fathom) # where the program looks for it
endif()
install(TARGETS fathom_static fathom_shared EXPORT fathom
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(part fathom_scene fathom_io fathom_render)
    if(TARGET ${part})
        install(TARGETS ${part} EXPORT fathom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endforeach()
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/fathom)
install(CODE "
    execute_process(COMMAND \"$<TARGET_FILE:fathom_program>\" man OUTPUT_FILE \"${PROJECT_BINARY_DIR}/fathom.1\")
    execute_process(COMMAND \"$<TARGET_FILE:fathom_program>\" completion OUTPUT_FILE \"${PROJECT_BINARY_DIR}/fathom.bash\")")
install(FILES ${PROJECT_BINARY_DIR}/fathom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/fathom.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME fathom)
install(DIRECTORY include/fathom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fathom)
configure_package_config_file(cmake/fathom-config.cmake.in
    ${PROJECT_BINARY_DIR}/fathom-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fathom-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(EXPORT fathom NAMESPACE fathom:: DESTINATION ${package_dir} FILE fathom-targets.cmake)
install(FILES ${PROJECT_BINARY_DIR}/fathom-config.cmake
    ${PROJECT_BINARY_DIR}/fathom-config-version.cmake DESTINATION ${package_dir})

configure_file(cmake/fathom.pc.in ${PROJECT_BINARY_DIR}/fathom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fathom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
