/**
 * Implements the `curl` utility over the network policy of the kernel.
 *
 * It streams bodies; a build of curl for WASI would have no sockets.
 */
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import type { Program } from "../../System.ts"
import { readFile } from "../http/files.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { CookieJar } from "./CookieJar.ts"
import { CurlCommandLine, type CurlConfig, type UrlSlot } from "./CurlConfig.ts"
import { CurlError } from "./CurlError.ts"
import { CurlIo } from "./CurlIo.ts"
import { CurlOutput } from "./CurlOutput.ts"
import { expandUrl } from "./expandUrl.ts"
import { curlOptions } from "./optionTable.ts"
import { curlVersion, planRequest } from "./requestHead.ts"
import { Transfer } from "./Transfer.ts"
import { writeOut } from "./writeOut.ts"

const usage = (): string => {
  const names = [...curlOptions].filter(([name, { kind }]) => name.startsWith("--") && kind !== "refused")
  return `Usage: curl [options...] <url>\n${
    names.map(([name, { kind }]) => `     ${name}${kind === "text" ? " <value>" : ""}\n`).join("")
  }`
}

const version = `curl ${curlVersion} (sluice)\nProtocols: http https\nFeatures: Largefile libz SSL\n`

/** The transfers of one group of URLs. */
class CurlGroup {
  readonly #utility: UtilityIo
  readonly #io: CurlIo
  readonly #config: CurlConfig
  readonly #failsEarly: boolean

  constructor(utility: UtilityIo, io: CurlIo, config: CurlConfig, failsEarly: boolean) {
    this.#utility = utility
    this.#io = io
    this.#config = config
    this.#failsEarly = failsEarly
  }

  /** Runs them. Returns the exit code of the last one. */
  async run(): Promise<number> {
    const plan = await planRequest(this.#io, this.#config)
    const { cookies, jar } = await this.#readCookies()
    const format = await this.#writeOutFormat()
    const dumpPath = this.#config.value("dump-header")
    const dump = dumpPath === undefined ? undefined : new CurlOutput(this.#io.system, {
      path: dumpPath === "-" ? undefined : dumpPath,
      append: false,
      createsFolders: this.#config.has("create-dirs"),
      isExclusive: false,
      warn: this.#io.warn,
    })
    let exitCode = 0
    let urlNumber = 0
    for (const slot of this.#config.slots) {
      const { url } = slot
      if (url === undefined) continue
      const targets = this.#config.has("globoff") ? [{ url, parts: [] }] : expandUrl(url)
      for (const target of targets) {
        const transfer = new Transfer({
          io: this.#io,
          config: this.#config,
          plan,
          slot,
          target,
          urlNumber: urlNumber++,
          jar,
          cookies,
          dump,
        })
        exitCode = await this.#runOne(transfer, format)
        if (exitCode !== 0 && this.#failsEarly) break
      }
      if (exitCode !== 0 && this.#failsEarly) break
    }
    dump?.close()
    await this.#saveCookies(jar)
    return exitCode
  }

  async #runOne(transfer: Transfer, format: string): Promise<number> {
    const exitCode = await transfer.run()
    if (format !== "") {
      const { err, out } = this.#utility
      let pieces = 0
      for (const [to, text] of writeOut(format, transfer.info)) {
        if (to === "stdout") this.#utility.print(text)
        else this.#io.printError(text)
        if (++pieces % 1_000 === 0 || out.isFull || err.isFull) await this.#utility.flushAndYield()
      }
    }
    await this.#utility.flushAndYield()
    return exitCode
  }

  async #writeOutFormat(): Promise<string> {
    const format = this.#config.value("write-out") ?? ""
    if (!format.startsWith("@")) return format
    const bytes = await readFile(this.#io.system, format.slice(1))
    if (typeof bytes !== "number") return decodeLossless(bytes)
    this.#io.warn(`Failed to open ${format.slice(1)}`)
    return ""
  }

  /** The cookies of `-b name=value`, and a jar where `-b file` or `-c` ask for one. */
  async #readCookies(): Promise<{ readonly cookies: string | undefined; readonly jar: CookieJar | undefined }> {
    const given = this.#config.values("cookie")
    const texts = given.filter((text) => text.includes("="))
    const files = given.filter((text) => !text.includes("="))
    const cookies = texts.length === 0 ? undefined : texts.join("; ")
    if (files.length === 0 && this.#config.value("cookie-jar") === undefined) return { cookies, jar: undefined }
    const { system } = this.#io
    const jar = new CookieJar(() => Number(system.now() / 1_000_000_000n))
    for (const path of files) {
      const bytes = path === "" ? -1 : await readFile(system, path)
      if (typeof bytes === "number") continue
      await jar.load(decodeLossless(bytes), !this.#config.has("junk-session-cookies"), () => system.yield(Infinity))
    }
    return { cookies, jar }
  }

  async #saveCookies(jar: CookieJar | undefined): Promise<void> {
    const path = this.#config.value("cookie-jar")
    if (jar === undefined || path === undefined) return
    if (path === "-") return this.#utility.print(jar.print())
    const output = new CurlOutput(this.#io.system, {
      path,
      append: false,
      createsFolders: false,
      isExclusive: false,
      warn: () => {},
    })
    try {
      await output.write(new TextEncoder().encode(jar.print()))
      output.close()
    } catch (cause) {
      if (!(cause instanceof CurlError)) throw cause
      this.#io.warn(`failed to save cookies in ${path}`)
    }
  }
}

/**
 * `curl [OPTION]... URL...`: transfers URLs over HTTP and HTTPS, as far as the network policy of the kernel allows. Source:
 * curl(1).
 */
export const curl: Program = defineUtility("curl", "=", async (io) => {
  const commandLine = new CurlCommandLine(io.system, (message) => io.err.putText(`Warning: ${message}\n`))
  await commandLine.parse(io.operands)
  const { configs, global } = commandLine
  if (global.has("help") || global.has("version")) return io.print(global.has("help") ? usage() : version)
  const path = global.value("stderr")
  if (path !== undefined) {
    const fd = path === "-" ? io.system.dup(1) : io.openOutput(path)
    if (fd >= 0) {
      io.system.dup2(fd, 2)
      io.system.close(fd)
    }
  }
  if (configs.every(({ slots }) => slots.every(({ url }: UrlSlot) => url === undefined))) {
    if (io.operands.length > 0) io.printError("no URL specified!")
    io.err.putText("curl: try 'curl --help' or 'curl --manual' for more information\n")
    return 2
  }
  let exitCode = 0
  for (const config of configs) {
    const group = new CurlGroup(io, new CurlIo(io.system, io.err, global), config, global.has("fail-early"))
    exitCode = await group.run()
    if (exitCode !== 0 && global.has("fail-early")) break
  }
  return exitCode
}, { errorExitCode: 2 })
