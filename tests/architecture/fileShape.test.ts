import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { root, sourceFiles } from "./sources.ts"

const textOf = (file: string): string => readFileSync(new URL(file, root), "utf8")

/** Tables of many functions, and the faces of namespaces (`make`, `layer`). */
const isTable = (value: string): boolean => /(?:Builtins|Functions|Options|Config)$|^(?:make|layer)$/.test(value)

/** Files whose one value is not their subject: a type is, or the value belongs to it. */
const otherwise: ReadonlySet<string> = new Set([
  "src/compute/TerminalRecorder.ts",
  "src/files/FileSearchMatcher.ts",
  "src/git/checkGitRequest.ts",
  "src/http/files/readHandler.ts",
  "src/journal/stores/postgres/PostgresStore.ts",
  "src/journal/stores/sqlite/SqliteStore.ts",
  "src/kernel/fs/nodeHostFiles.ts",
  "src/leaves/ssh/RemoteProcess.ts",
  "src/policy/scriptState.ts",
])

it("names a file with one exported value after it, or after its type", () => {
  const wrong = sourceFiles.flatMap((file) => {
    const text = textOf(file)
    const stem = file.replace(/^.*\//, "").replace(/\.ts$/, "")
    const values = [...text.matchAll(/^export (?:async |abstract )*(?:const|let|class|function\*?) (\w+)/gm)]
      .flatMap(([, name]) => name ?? [])
    const types = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name?.toLowerCase())
    const [value] = values
    if (value === undefined || values.length > 1 || /^export [*{]/m.test(text) || stem === "mod") return []
    if (isTable(value) || otherwise.has(file) || types.includes(stem.toLowerCase())) return []
    return value.toLowerCase().includes(stem.toLowerCase()) ? [] : [`${file} exports ${value}`]
  })
  expect(wrong).toEqual([])
})

it("imports packages before files", () => {
  const wrong = sourceFiles.filter((file) => {
    const froms = [...textOf(file).matchAll(/^(?:import |\} from )[^\n]*"([^"\n]+)"$/gm)].map(([, from]) => from ?? "")
    const firstFile = froms.findIndex((from) => from.startsWith("."))
    return firstFile >= 0 && froms.slice(firstFile).some((from) => !from.startsWith("."))
  })
  expect(wrong).toEqual([])
})
