/** Reads the test files of jq: a program, its input and its outputs, or a program that fails and the message. */
export interface JqTest {
  readonly line: number
  readonly program: string
  readonly input: string
  readonly outputs: ReadonlyArray<string>
  /** Whether the program must not compile. */
  readonly fails: boolean
}

export const parseJqTests = (text: string): ReadonlyArray<JqTest> => {
  const lines = text.split("\n")
  const tests: Array<JqTest> = []
  const isBlank = (line: string): boolean => /^\s*(?:#.*)?$/.test(line)
  for (let at = 0; at < lines.length; at++) {
    let program = lines[at] ?? ""
    if (isBlank(program)) continue
    const line = at + 1
    const fails = program.startsWith("%%FAIL")
    if (fails) {
      program = lines[++at] ?? ""
      const outputs: Array<string> = []
      while (!/^\s*$/.test(lines[at + 1] ?? "")) outputs.push(lines[++at] ?? "")
      tests.push({ line, program, input: "null", outputs, fails })
      continue
    }
    const input = lines[++at] ?? ""
    const outputs: Array<string> = []
    while (!isBlank(lines[at + 1] ?? "")) outputs.push(lines[++at] ?? "")
    tests.push({ line, program, input, outputs, fails })
  }
  return tests
}
