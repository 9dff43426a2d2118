/**
 * Sources of programs as Debian has them.
 *
 * Source: apt-get(8), dpkg-source(1).
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

/** Where everything is kept: sources, what is built from them, and which of it is meant. */
export const cache = fileURLToPath(new URL("../../../.cache/slow/", import.meta.url))

/** @param {string} text */
export const digestOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16)

/**
 * Runs a program to its end. What it says is shown only when it fails.
 *
 * @param {string} cwd
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {Readonly<Record<string, string>>} [env]
 */
export const run = (cwd, program, args, env = {}) => {
  try {
    execFileSync(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: "pipe",
      maxBuffer: 256 * 1024 * 1024,
    })
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).slice(-4000) : String(error)
    throw new Error(`${program} ${args.slice(0, 3).join(" ")} …: ${output}`)
  }
}

/** Where this system has its packages from, of Debian's main distribution: the same place has their sources. */
const origin = () => {
  const format = "$(ORIGIN) $(COMPONENT) $(SITE) $(RELEASE)"
  const targets = execFileSync("apt-get", ["indextargets", "--format", format, "Created-By: Packages"], {
    encoding: "utf8",
  })
  const [, , site, release] = targets.split("\n").map((line) => line.split(" "))
    .find(([name, component, , release = "-"]) =>
      name === "Debian" && component === "main" && !release.includes("-")
    ) ?? []
  if (site === undefined || release === undefined) throw new Error("apt-get names no source of Debian's packages")
  return { site, release }
}

/** Lists of its own: those of the system stay as they are, and no right beyond this folder's is needed. */
const apt = () => {
  const folder = join(cache, "apt")
  mkdirSync(join(folder, "lists", "partial"), { recursive: true })
  mkdirSync(join(folder, "cache", "archives", "partial"), { recursive: true })
  const { release, site } = origin()
  const key = "/usr/share/keyrings/debian-archive-keyring.gpg"
  writeFileSync(join(folder, "sources.list"), `deb-src [signed-by=${key}] ${site} ${release} main\n`)
  const settings = {
    "Dir::Etc::sourcelist": join(folder, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(folder, "lists"),
    "Dir::Cache": join(folder, "cache"),
  }
  return ["-qq", ...Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`])]
}

/**
 * The source of a package, with Debian's patches: the folder where it lies, and its name and version. Once it is here it
 * is not asked for again.
 *
 * @param {string} name
 */
export const sourceOf = (name) => {
  const folder = join(cache, "sources", name)
  const description = () => existsSync(folder) ? readdirSync(folder).find((file) => file.endsWith(".dsc")) : undefined
  if (description() === undefined) {
    mkdirSync(folder, { recursive: true })
    const options = apt()
    run(folder, "apt-get", [...options, "update"])
    run(folder, "apt-get", [...options, "source", "--download-only", name])
  }
  const file = description()
  if (file === undefined) throw new Error(`${name}: apt-get brought no source`)
  const unpacked = join(folder, "source")
  if (!existsSync(unpacked)) {
    const draft = join(folder, "draft")
    rmSync(draft, { recursive: true, force: true })
    run(folder, "dpkg-source", ["--no-check", "-q", "-x", file, draft])
    renameSync(draft, unpacked)
  }
  return { folder: unpacked, version: file.slice(0, -".dsc".length) }
}
