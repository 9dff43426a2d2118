/** Reads the spec tests of Oils: scripts below `#### name`, each with what shells print. Source: Oils' `test/sh_spec.py`. */
export interface OilsCase {
  readonly name: string
  readonly line: number
  readonly script: string
  /** What bash prints, and how it ends; `undefined` where the file does not say. */
  readonly stdout: string | undefined
  readonly status: number
}

interface Expectation {
  readonly key: string
  readonly value: string
  /** The shells for which it holds instead of for all. */
  readonly shells: ReadonlyArray<string> | undefined
}

const expectation =
  /^## (?:(?:OK|BUG|N-I)(?:-\d+)? ([a-z0-9./+-]+) )?(stdout|stdout-json|STDOUT|status|stderr-json|STDERR)\s*:(.*)$/

/** The expectations of one case, and its script. */
const readCase = (lines: ReadonlyArray<string>): { script: string; found: ReadonlyArray<Expectation> } => {
  const script: Array<string> = []
  const found: Array<Expectation> = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const match = expectation.exec(line)
    if (match === null) {
      if (!line.startsWith("## ")) script.push(line)
      continue
    }
    const [, names, key = "", rest = ""] = match
    const block: Array<string> = []
    if (key === "STDOUT" || key === "STDERR") {
      while (++at < lines.length && !/^## /.test(lines[at] ?? "")) block.push(`${lines[at] ?? ""}\n`)
      if (lines[at] !== "## END") at--
    }
    found.push({ key, value: key === key.toUpperCase() ? block.join("") : rest.trim(), shells: names?.split("/") })
  }
  return { script: `${script.join("\n")}\n`, found }
}

const outputOf = (found: ReadonlyArray<Expectation>): string | undefined => {
  const last = found.findLast(({ key }) => /^stdout/i.test(key))
  if (last === undefined) return undefined
  if (last.key === "stdout-json") return String(JSON.parse(last.value))
  return last.key === "STDOUT" ? last.value : `${last.value}\n`
}

/** Cases of a file as bash answers them. */
export const parseOils = (text: string): ReadonlyArray<OilsCase> => {
  const lines = text.split("\n")
  const starts = lines.flatMap((line, at) => line.startsWith("#### ") ? [at] : [])
  return starts.map((start, index) => {
    const { found, script } = readCase(lines.slice(start + 1, starts[index + 1]))
    const ofBash = found.filter(({ shells }) => shells?.some((shell) => /^bash(-4\.4)?$/.test(shell)) === true)
    const ofAll = found.filter(({ shells }) => shells === undefined)
    const status = [...ofAll, ...ofBash].findLast(({ key }) => key === "status")?.value ?? "0"
    return {
      name: (lines[start] ?? "").slice("#### ".length),
      line: start + 1,
      script,
      stdout: outputOf(ofBash) ?? outputOf(ofAll),
      status: Number(status),
    }
  })
}
