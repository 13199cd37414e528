# The part of the runtime that takes snapshots.
heaptally_runtime_objects(heaptally_capture
  capture.cc
  capture_at_exit.cc
  capture_child.cc
  capture_facts.cc
  capture_finish.cc
  capture_modules.cc
  capture_packer.cc
  capture_process.cc
  capture_sections.cc
  capture_sink.cc
  capture_to_path.cc
  capture_tracebacks.cc
)
target_compile_definitions(heaptally_capture
  PRIVATE HEAPTALLY_VERSION="${PROJECT_VERSION}")
