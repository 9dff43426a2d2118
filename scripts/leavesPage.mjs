/**
 * Reads and writes `docs/leaves.md`: which leaf keeps which promise of its contract, and declares which capability, on which
 * runtime.
 *
 * @module
 */

/** @typedef {"deno" | "bun" | "node"} Runtime */
/** @typedef {"shells" | "files"} Branch */
/** @typedef {{ branch: Branch, leaf: string, part: string }} PageRecord a test that proves a promise */
/**
 * @typedef {object} LeafRecord what a leaf declares
 * @property {Branch} branch
 * @property {string} leaf
 * @property {Readonly<Record<string, string>>} declared capabilities and their values
 * @property {Readonly<Record<string, string>>} leftOut what is not asked of it, and why
 */

/** @type {ReadonlyArray<Runtime>} */
export const runtimes = ["deno", "bun", "node"]

/** @type {Readonly<Record<Runtime, string>>} */
const runtimeTitles = { deno: "Deno", bun: "Bun", node: "Node" }

export const pagePath = new URL("../docs/leaves.md", import.meta.url)

/** @type {Readonly<Record<Branch, string>>} */
const headings = { shells: "Shells", files: "Files" }

/** @type {Readonly<Record<Branch, ReadonlyArray<string>>>} */
export const columns = {
  shells: [
    "LocalShell",
    "WindowsShell",
    "IsolatedShell",
    "ContainerShell",
    "SshShell",
    "RemoteShell",
    "KernelShell",
    "DaemonShell",
    "JournaledShell",
    "MockShell",
    "ReplayShell",
    "DryRunShell",
  ],
  files: [
    "LocalFileSystem",
    "LocalFileSystem on Windows",
    "ContainerFileSystem",
    "SftpFileSystem",
    "S3FileSystem",
    "RemoteFileSystem",
    "KernelFileSystem",
    "MemoryFileSystem",
    "DaemonFileSystem",
    "JournaledFileSystem",
    "MockFileSystem",
  ],
}

/** Leaves of one runtime or system, which `LocalShell` chooses, and what puts secrets into the commands of any leaf. */
export const sameColumn = ["DenoShell", "BunShell", "NodeShell", "PosixShell", "SecretShell"]

/**
 * The column of a contract's title, which names the leaf and may say more after a comma.
 *
 * @param {string} leaf
 */
export const columnOf = (leaf) => {
  const [name = ""] = leaf.split(",")
  return sameColumn.includes(name) ? "LocalShell" : name
}

/** @typedef {Partial<Record<Runtime, string>>} Cell */
/** @typedef {Map<string, Map<string, Cell>>} Table rows, their columns */

/** @param {string} text */
const readCell = (text) => {
  const parts = text.split("; ").map((part) => /^(Deno|Bun|Node) (.*)$/.exec(part))
  if (parts.some((part) => part === null)) return Object.fromEntries(runtimes.map((name) => [name, text]))
  return Object.fromEntries(parts.map((part) => [part?.[1]?.toLowerCase(), part?.[2] ?? ""]))
}

/** @param {Cell} cell */
const writeCell = (cell) => {
  const values = runtimes.map((name) => cell[name])
  const [first] = values
  if (first !== undefined && values.every((value) => value === first)) return first
  return runtimes.flatMap((name) => cell[name] === undefined ? [] : [`${runtimeTitles[name]} ${cell[name]}`]).join("; ")
}

/** A page in memory. */
export class LeavesPage {
  /** @type {Record<Branch, Table>} */
  tables = { shells: new Map(), files: new Map() }
  /** @type {Map<string, Map<string, string>>} what is not asked of a leaf, and why */
  leftOut = new Map()

  /**
   * @param {Branch} branch
   * @param {string} row
   * @param {string} column
   * @param {Runtime} runtime
   */
  cell(branch, row, column, runtime) {
    return this.tables[branch].get(row)?.get(column)?.[runtime]
  }

  /**
   * @param {Branch} branch
   * @param {string} row
   * @param {string} column
   * @param {Cell} cell what is known of it now
   */
  set(branch, row, column, cell) {
    const table = this.tables[branch]
    const cells = table.get(row) ?? new Map()
    table.set(row, cells)
    cells.set(column, { ...cells.get(column), ...cell })
  }
}

/** @param {string} line */
const cellsOf = (line) => line.split("|").slice(1, -1).map((cell) => cell.trim())

/**
 * Reads the tables of a page.
 *
 * @param {string} text
 */
export const readPage = (text) => {
  const page = new LeavesPage()
  for (const branch of /** @type {ReadonlyArray<Branch>} */ (["shells", "files"])) {
    const section = text.split(`\n## ${headings[branch]}\n`)[1]?.split("\n## ")[0] ?? ""
    /** @type {ReadonlyArray<string>} */
    let names = []
    for (const line of section.split("\n")) {
      if (line.startsWith("| |")) names = cellsOf(line).slice(1).map((name) => fullName(branch, name))
      else if (line.startsWith("|") && !line.startsWith("|---")) {
        const [row = "", ...cells] = cellsOf(line)
        cells.forEach((cell, at) => {
          if (cell !== "") page.set(branch, row, names[at] ?? "", readCell(cell))
        })
      }
      const note = /^- `([^`]+)`: (.*)$/.exec(line)
      if (note !== null) {
        const reasons = (note[2] ?? "").split("; ").map((reason) => reason.split(": "))
        page.leftOut.set(
          note[1] ?? "",
          new Map(reasons.flatMap(([what = "", why = ""]) => what.split(", ").map((name) => [name, why]))),
        )
      }
    }
  }
  return page
}

const suffixes = { shells: "Shell", files: "FileSystem" }

/** @param {Branch} branch @param {string} name of a column, which has no suffix */
const fullName = (branch, name) => {
  const [leaf = "", ...rest] = name.split(" ")
  return [`${leaf}${suffixes[branch]}`, ...rest].join(" ")
}

/** @param {Branch} branch @param {string} name */
const shortName = (branch, name) => name.replace(suffixes[branch], "")

/**
 * The row of a capability; those of promises are their titles.
 *
 * @param {string} capability
 */
export const capabilityRow = (capability) => `\`${capability}\``

/** @param {ReadonlyMap<string, string>} leftOut what is left out of a leaf's contract, and why */
const formatReasons = (leftOut) => {
  const reasons = new Set(leftOut.values())
  return [...reasons].map((reason) => {
    const all = [...leftOut].flatMap(([what, why]) => why === reason ? [what] : [])
    return `${all.join(", ")}: ${reason}`
  })
}

/**
 * Writes a page: promises, and below them capabilities.
 *
 * @param {LeavesPage} page
 */
export const writePage = (page) => {
  /** @param {Branch} branch */
  const section = (branch) => {
    const names = columns[branch].filter((name) => [...page.tables[branch].values()].some((row) => row.has(name)))
    const isCapability = (/** @type {string} */ row) => Number(row.startsWith("`"))
    const rows = [...page.tables[branch]].toSorted(([a], [b]) => isCapability(a) - isCapability(b))
    const lines = rows.map(([row, cells]) =>
      `| ${row} | ${names.map((name) => writeCell(cells.get(name) ?? {}) || "–").join(" | ")} |`
    )
    const notes = names.flatMap((name) => {
      const reasons = formatReasons(page.leftOut.get(name) ?? new Map())
      return reasons.length === 0 ? [] : [`- \`${name}\`: ${reasons.join("; ")}`]
    })
    return [
      `## ${headings[branch]}`,
      "",
      `| | ${names.map((name) => shortName(branch, name)).join(" | ")} |`,
      `|---${"|---".repeat(names.length)}|`,
      ...lines,
      "",
      ...(notes.length === 0 ? [] : ["Not asked, and why:", "", ...notes, ""]),
    ]
  }
  return [...intro, ...section("shells"), ...section("files")].join("\n").trimEnd() + "\n"
}

const intro = [
  "# What each leaf does",
  "",
  "Every leaf passes one suite, its contract, against the real thing: processes, bubblewrap, podman, OpenSSH, Wine, an HTTP",
  "server, an S3 service. The suite writes this page (`node scripts/matrix.mjs`), and each of its later runs fails when the",
  "page says something else.",
  "",
  "A ✓ is a part of the contract whose tests ran and passed on Deno, Bun and Node; where that differs, the cell names the",
  "runtimes. A – is not asked of the leaf: the reason is below the table. Rows in `code` are",
  "[capabilities](remote-and-edge.md) as the leaf declared them in that run, by root on Debian; a remote leaf and a daemon",
  "have those of the leaf behind them. Without `pty`, *terminals* is a typed refusal. Windows is Wine 10: [what that proves](windows.md#what-was-run-under-wine).",
  "",
]
