/** The mock leaf of the FileSystem branch: files in memory. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { durationOf } from "../../base/duration.ts"
import { type OptionError, refuseUnknownOptions, requireCount } from "../../base/OptionError.ts"
import { MockScriptError } from "../../branch/MockScriptError.ts"
import type { ScriptOptions } from "../../branch/scriptRequests.ts"
import { FileFault, type FileFaultKind } from "../../files/FileFault.ts"
import { parsePath } from "../../files/FilePath.ts"
import { describeRequest, type FileRequest } from "../../files/FileRequest.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { pathMatcher } from "../../base/pathMatcher.ts"
import * as MemoryFileSystem from "./MemoryFileSystem.ts"

/** A rule: what happens to requests before the files in memory see them. */
export interface MockFileRule extends ScriptOptions {
  /** The kind of request. Default: every kind. */
  readonly request?: FileRequest["_tag"] | undefined
  /** A glob for its path, as for `Files.list`. Default: every path. */
  readonly path?: string | undefined
  /** The fault with which the request fails. Default: none. */
  readonly fault?: FileFaultKind | undefined
}

/** Options of {@link MockFileSystem.layerWith}. */
export interface MockFileSystemOptions {
  /** Texts by path. Default: none. */
  readonly files?: Readonly<Record<string, string>> | undefined
  /** Rules; the first rule that matches a request applies. Default: none. */
  readonly rules?: ReadonlyArray<MockFileRule> | undefined
}

/** The requests of a mock, and the check of its expectations. */
export interface MockFilesService {
  /** The requests so far, in order. */
  readonly requests: Effect.Effect<ReadonlyArray<FileRequest>>
  /** Fails with every expected rule that matched no request, or too few. */
  readonly verify: Effect.Effect<void, MockScriptError>
}

const Base: Context.ServiceClass<MockFileSystem, "@sluice/shell/MockFileSystem", MockFilesService> = Context.Service<
  MockFileSystem,
  MockFilesService
>()("@sluice/shell/MockFileSystem")

const optionNames: Readonly<Record<keyof MockFileSystemOptions, true>> = { files: true, rules: true }

const ruleNames: Readonly<Record<keyof MockFileRule, true>> = {
  request: true,
  path: true,
  delay: true,
  fault: true,
  times: true,
  expected: true,
}

interface CountedRule {
  readonly rule: MockFileRule
  readonly matches: (request: FileRequest) => boolean
  count: number
}

const relative = (path: string): string => {
  const names = parsePath(path)
  return names._tag === "Success" ? names.success.join("/") : path
}

const countedRule = (rule: MockFileRule): CountedRule => {
  refuseUnknownOptions("MockFileSystem", rule, ruleNames)
  if (rule.times !== undefined) requireCount("MockFileSystem", "times", rule.times, { min: 1 })
  if (rule.delay !== undefined) durationOf("delay", rule.delay)
  const isPath = rule.path === undefined ? () => true : pathMatcher(rule.path)
  const matches = ({ _tag, path }: FileRequest): boolean =>
    (rule.request === undefined || rule.request === _tag) && isPath(relative(path))
  return { rule, matches, count: 0 }
}

const describe = ({ path, request }: MockFileRule): string =>
  `${request === undefined ? "any request" : request} of ${path ?? "any path"}`

const scriptedFault = (request: FileRequest, faultKind: FileFaultKind): FileFault =>
  new FileFault({
    correlationId: request.correlationId,
    faultKind,
    path: request.path,
    message: `${describeRequest(request)}: a rule of the mock fails this request`,
  })

/**
 * A file system for tests: files in memory, with faults and delays by rules. Times come from the program's clock, so that
 * `TestClock` controls them.
 *
 * @example
 * ```ts
 * import { Files, MockFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const first = yield* Effect.flip(Files.write("a.txt", "new"))
 *   yield* Files.write("a.txt", "new")
 *   yield* MockFileSystem.verify
 *   return first.faultKind
 * })
 * const files = MockFileSystem.layerWith({
 *   files: { "a.txt": "old" },
 *   rules: [{ request: "FileWrite", path: "*.txt", fault: "DiskFull", times: 1, expected: true }],
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, files))) // DiskFull
 * ```
 */
export class MockFileSystem extends Base {
  /** Files in memory, and the mock that counts their requests. */
  static readonly layer: Layer.Layer<Files | MockFileSystem, FileFault> = Layer.effectContext(
    Effect.suspend(() => assumeValidOptions(makeContext({}))),
  )

  /** {@link layer} with files and scripted faults. Fails with an `OptionError` for an invalid option. */
  static layerWith(options: MockFileSystemOptions): Layer.Layer<Files | MockFileSystem, OptionError | FileFault> {
    return Layer.effectContext(makeContext(options))
  }

  /** The requests so far, in order. */
  static get requests(): Effect.Effect<ReadonlyArray<FileRequest>, never, MockFileSystem> {
    return Effect.flatMap(MockFileSystem, ({ requests }) => requests)
  }

  /** Fails with every expected rule that matched no request, or too few. */
  static get verify(): Effect.Effect<void, MockScriptError, MockFileSystem> {
    return Effect.flatMap(MockFileSystem, ({ verify }) => verify)
  }
}

const makeContext = (
  options: MockFileSystemOptions,
): Effect.Effect<Context.Context<Files | MockFileSystem>, OptionError | FileFault> =>
  Effect.gen(function* () {
    const rules = yield* attemptOptions(() => {
      refuseUnknownOptions("MockFileSystem", options, optionNames)
      return (options.rules ?? []).map(countedRule)
    })
    const files = yield* MemoryFileSystem.make()
    yield* Effect.provideService(
      Effect.forEach(Object.entries(options.files ?? {}), ([path, text]) => Files.write(path, text)),
      Files,
      files,
    )
    const requests: Array<FileRequest> = []
    const mock: FilesService = {
      capabilities: { ...files.capabilities, leaf: "mock" },
      request: (request, requestOptions) =>
        Stream.suspend(() => {
          requests.push(request)
          const found = rules.find(({ count, matches, rule }) => count < (rule.times ?? Infinity) && matches(request))
          if (found === undefined) return files.request(request, requestOptions)
          found.count++
          const { delay, fault } = found.rule
          const answer = fault === undefined
            ? files.request(request, requestOptions)
            : Stream.fail(scriptedFault(request, fault))
          return delay === undefined
            ? answer
            : Stream.unwrap(Effect.as(Effect.sleep(durationOf("delay", delay)), answer))
        }),
    }
    const verify = Effect.suspend(() => {
      const missing = rules.filter(({ count, rule }) => rule.expected === true && count < (rule.times ?? 1))
      return missing.length === 0 ? Effect.void : Effect.fail(
        new MockScriptError({
          message: missing.map(({ count, rule }) =>
            `${describe(rule)} was expected ${rule.times ?? 1} times, and was requested ${count} times`
          ).join("; "),
        }),
      )
    })
    return Context.make(Files, mock).pipe(
      Context.add(MockFileSystem, { requests: Effect.sync(() => [...requests]), verify }),
    )
  })
