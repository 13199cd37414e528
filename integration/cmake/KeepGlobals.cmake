# Build step: joins the objects listed in OBJECTS and the private jemalloc (ARCHIVE) into one
# relocatable object in which only the names of EXPORTS stay global.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "failed (${result}): ${ARGV}")
  endif()
endfunction()

file(STRINGS ${EXPORTS} lines REGEX "^ +[A-Za-z_][A-Za-z0-9_]*;")
list(TRANSFORM lines REPLACE "[ ;]" "")
string(REPLACE ";" "\n" names "${lines}")
file(WRITE ${OUTPUT}.names "${names}\n")

# Groups are dissolved: their names become local below.
run(${LINKER} -r --force-group-allocation -o ${OUTPUT}.tmp @${OBJECTS}
  --whole-archive ${ARCHIVE} --no-whole-archive)
run(${OBJCOPY} --keep-global-symbols=${OUTPUT}.names ${OUTPUT}.tmp)
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
