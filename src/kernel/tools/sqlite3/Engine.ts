/**
 * Declares the part of SQLite's WASM build that the shell uses, and constants of its C interface. Source:
 * sqlite.org/wasm, c3ref.
 */
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"

export type Pointer = number

/** A struct of C whose members are properties with a `$`. */
export interface Struct {
  $iVersion: number
  $szOsFile: number
  $mxPathname: number
  $zName: Pointer
  $pMethods: Pointer
  readonly pointer: Pointer
  readonly dispose: () => void
}

type Callback = (...args: ReadonlyArray<never>) => number

export interface CApi {
  readonly sqlite3_vfs: new () => Struct
  readonly sqlite3_io_methods: new () => Struct
  readonly sqlite3_file: { new (pointer: Pointer): Struct; readonly structInfo: { readonly sizeof: number } }
  readonly sqlite3_open_v2: (name: string, out: Pointer, flags: number, vfs: string) => number
  readonly sqlite3_close_v2: (db: Pointer) => number
  readonly sqlite3_prepare_v2: (db: Pointer, sql: Pointer, length: number, out: Pointer, tail: Pointer) => number
  readonly sqlite3_step: (statement: Pointer) => number
  readonly sqlite3_finalize: (statement: Pointer) => number
  readonly sqlite3_errmsg: (db: Pointer) => string
  readonly sqlite3_error_offset: (db: Pointer) => number
  readonly sqlite3_extended_errcode: (db: Pointer) => number
  readonly sqlite3_column_count: (statement: Pointer) => number
  readonly sqlite3_column_name: (statement: Pointer, column: number) => string
  readonly sqlite3_column_type: (statement: Pointer, column: number) => number
  readonly sqlite3_column_blob: (statement: Pointer, column: number) => Pointer
  readonly sqlite3_column_bytes: (statement: Pointer, column: number) => number
  readonly sqlite3_bind_text: (statement: Pointer, at: number, text: Pointer, length: number, free: number) => number
  readonly sqlite3_bind_null: (statement: Pointer, at: number) => number
  readonly sqlite3_db_config: (db: Pointer, option: number, value: number, out: Pointer) => number
  readonly sqlite3_progress_handler: (
    db: Pointer,
    steps: number,
    callback: (() => number) | Pointer,
    argument: Pointer,
  ) => void
  readonly sqlite3_create_function: (
    db: Pointer,
    name: string,
    count: number,
    flags: number,
    data: Pointer,
    run: Pointer,
    step: Pointer,
    final: Pointer,
  ) => number
  readonly sqlite3_changes: (db: Pointer) => number
  readonly sqlite3_total_changes: (db: Pointer) => number
  readonly sqlite3_libversion: () => string
  readonly sqlite3_limit: (db: Pointer, limit: number, value: number) => number
}

export interface Wasm {
  readonly alloc: (bytes: number) => Pointer
  readonly dealloc: (pointer: Pointer) => void
  readonly allocCString: (text: string) => Pointer
  readonly heap8u: () => Uint8Array
  readonly peek32: (pointer: Pointer) => number
  readonly poke32: (pointer: Pointer, value: number) => unknown
  readonly poke64: (pointer: Pointer, value: bigint) => unknown
  readonly poke64f: (pointer: Pointer, value: number) => unknown
  readonly cstrToJs: (pointer: Pointer) => string | null
  readonly exports: Readonly<Record<string, unknown>>
  /** Wraps an import as a function of WASM; the signature is the result's letter and those of the parameters. */
  readonly jsFuncToWasm: (callable: object, signature: string) => unknown
  readonly installFunction: (callable: unknown, signature: string) => Pointer
}

export interface Engine {
  readonly capi: CApi
  readonly wasm: Wasm
  readonly vfs: {
    readonly installVfs: (parts: {
      readonly io: { readonly struct: Struct; readonly methods: Readonly<Record<string, Callback>> }
      readonly vfs: {
        readonly struct: Struct
        readonly methods: Readonly<Record<string, Callback>>
        readonly asDefault: boolean
      }
    }) => unknown
  }
}

const isEngine = (value: unknown): value is Engine =>
  typeof value === "object" && value !== null && "capi" in value && "wasm" in value && "vfs" in value &&
  typeof value.capi === "object" && value.capi !== null && "sqlite3_prepare_v2" in value.capi &&
  "sqlite3_progress_handler" in value.capi &&
  typeof value.wasm === "object" && value.wasm !== null && "poke64" in value.wasm &&
  "jsFuncToWasm" in value.wasm && "installFunction" in value.wasm &&
  typeof value.vfs === "object" && value.vfs !== null && "installVfs" in value.vfs

export const parseEngine = (value: unknown): Engine => {
  if (isEngine(value)) return value
  throw new UtilityExit(
    127,
    "the npm package @sqlite.org/sqlite-wasm lacks what sqlite3 needs; install version 3.50 or newer",
  )
}

export const Code = {
  ok: 0,
  error: 1,
  busy: 5,
  noMemory: 7,
  readOnly: 8,
  interrupt: 9,
  ioError: 10,
  notFound: 12,
  cannotOpen: 14,
  notADatabase: 26,
  row: 100,
  done: 101,
  shortRead: 522,
} as const
export const ColumnType = { integer: 1, float: 2, text: 3, blob: 4, null: 5 } as const
export const OpenFlag = { readOnly: 1, readWrite: 2, create: 4, deleteOnClose: 8, exclusive: 16, uri: 64 } as const
