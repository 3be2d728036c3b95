# cmake -DOUT=file.cpp -DTEXTS=a.txt,b.txt -P embed_texts.cmake: a source that holds the equations' texts, so that an
# installed command knows them.
string(REPLACE "," ";" texts "${TEXTS}")
set(code "// Made from docs/equations by the build.\n#include \"apps/likely/equation_texts.hpp\"\n\n")
string(APPEND code "namespace likely::command {\n\nconst std::vector<EquationText>& equation_texts() {\n")
string(APPEND code "  static const std::vector<EquationText> texts{\n")
foreach(path IN LISTS texts)
  cmake_path(GET path FILENAME name)
  file(READ "${path}" text)
  string(APPEND code "      {\"${name}\", R\"equations(${text})equations\"},\n")
endforeach()
string(APPEND code "  };\n  return texts;\n}\n\n}  // namespace likely::command\n")
file(WRITE "${OUT}" "${code}")
