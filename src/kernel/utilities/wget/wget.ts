/**
 * Implements the `wget` utility over the network policy of the kernel, without recursion.
 *
 * It shares bodies and their limits with `curl`.
 */
import { errnoText } from "../../Errno.ts"
import type { Program } from "../../System.ts"
import { readFile } from "../http/files.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { Download, type SharedOutput } from "./Download.ts"
import { WgetExit } from "./DownloadError.ts"
import { WgetLog } from "./WgetLog.ts"

const spec = `O|output-document: q|quiet v|verbose no-verbose no-clobber P|directory-prefix: c|continue header:
  post-data: post-file: method: body-data: body-file: S|server-response t|tries: T|timeout: connect-timeout: i|input-file:
  spider N|timestamping U|user-agent: user: password: http-user: http-password: max-redirect: waitretry: referer:`

/** Unsupported options. */
const refused: ReadonlyArray<readonly [hint: string, names: string]> = [
  [
    "recursion is not in the sandbox; list the URLs with -i",
    `r|recursive l|level: m|mirror p|page-requisites k|convert-links K|backup-converted E|adjust-extension A|accept: R|reject:
    D|domains: I|include-directories: X|exclude-directories: np no-parent H|span-hosts L|relative x|force-directories nH
    no-host-directories cut-dirs: accept-regex: reject-regex: delete-after`,
  ],
  [
    "the host of the sandbox makes TLS connections and checks certificates",
    "no-check-certificate ca-certificate: ca-directory: certificate: private-key: secure-protocol: https-only no-hsts",
  ],
  [
    "the network policy decides which server is connected to",
    "Y|proxy: no-proxy bind-address: 4|inet4-only 6|inet6-only",
  ],
  [
    "use curl",
    `load-cookies: save-cookies: keep-session-cookies compression: content-disposition trust-server-names content-on-error
    limit-rate: w|wait: random-wait start-pos: read-timeout: dns-timeout: retry-connrefused retry-on-http-error: auth-no-challenge`,
  ],
  ["run it with & or redirect its output", "b|background o|output-file: a|append-output: e|execute: d|debug"],
]

const named = (names: string): ReadonlyArray<string> => names.trim().split(/\s+/)

const refusedSpec: string = refused.map(([, names]) => names).join(" ")

const rewrite: ReadonlyMap<string, string> = new Map([
  ["-nv", "--no-verbose"],
  ["-nc", "--no-clobber"],
  ["-nd", "--no-directories"],
  ["-np", "--no-parent"],
  ["-nH", "--no-host-directories"],
])

/** The URLs of the operands and of `-i`. */
const readUrls = async (io: UtilityIo): Promise<ReadonlyArray<string>> => {
  const path = io.value("i")
  if (path === undefined) return io.operands
  const bytes = await readFile(io.system, path)
  if (typeof bytes === "number") {
    io.err.putText(`${path}: ${errnoText(bytes)}\nNo URLs found in ${path}.\n`)
    return io.operands
  }
  const lines = new TextDecoder().decode(bytes).split("\n").map((line) => line.trim())
  return [...io.operands, ...lines.filter((line) => line !== "" && !line.startsWith("#"))]
}

/** Opens the file of `-O`. */
const openShared = (io: UtilityIo): SharedOutput | number | undefined => {
  const name = io.value("O")
  if (name === undefined || io.has("spider")) return undefined
  if (name === "-") return { name, fd: 1 }
  const flags = io.has("c") ? 1 : 0
  const fd = io.system.open(name, { write: true, create: true, truncate: flags === 0, flags })
  return fd < 0 ? fd : { name, fd }
}

/**
 * `wget [OPTION]... URL...`: downloads URLs over HTTP and HTTPS, as far as the network policy of the kernel allows. Source:
 * wget(1).
 */
export const wget: Program = defineUtility(
  "wget",
  `${spec} ${refusedSpec}`,
  async (io) => {
    for (const [hint, names] of refused) {
      for (const word of named(names)) {
        const [name = ""] = word.replace(/:$/, "").split("|")
        if (io.has(name)) return io.fail(`option ${name.length === 1 ? "-" : "--"}${name} is not here; ${hint}`)
      }
    }
    const counts = io.options.all.filter(([name]) => /^(t|T|connect-timeout|max-redirect|waitretry)$/.test(name))
    const wrong = counts.find(([, value]) => !/^\d+(\.\d+)?$/.test(value))
    if (wrong !== undefined) return io.fail(`option ${wrong[0]}: Invalid number ‘${wrong[1]}’`)
    if (io.has("c") && io.has("O")) return io.fail("-c with -O is not here; use curl -C - -o FILE")
    if (io.operands.length === 0 && io.value("i") === undefined) {
      io.err.putText("wget: missing URL\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n")
      return WgetExit.generic
    }
    const urls = await readUrls(io)
    const shared = openShared(io)
    if (typeof shared === "number") {
      io.err.putText(`${io.value("O")}: ${errnoText(shared)}\n`)
      return WgetExit.generic
    }
    const log = new WgetLog(io)
    if (io.has("spider")) log.full("Spider mode enabled. Check if remote file exists.\n")
    let exitCode = 0
    for (const url of urls) {
      const download = new Download(io, log, shared, url)
      const code = download.isKept ? 0 : await download.run()
      // The smaller code is the more general one.
      if (code !== 0) exitCode = exitCode === 0 ? code : Math.min(exitCode, code)
      await io.flushAndYield()
    }
    if (shared !== undefined && shared.fd > 2) io.system.close(shared.fd)
    return exitCode
  },
  {
    errorExitCode: 2,
    rewriteArgs: (args) => args.map((arg) => rewrite.get(arg) ?? arg),
    withoutEffect: {
      "no-directories": "only recursion makes directories",
      "progress:": "progress is not shown",
      "show-progress": "progress is not shown",
    },
  },
)
