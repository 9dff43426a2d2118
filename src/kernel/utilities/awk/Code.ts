/** Declares the instructions that an awk program is compiled to. Each is a number, with up to two operands after it. */

/** Operations, with operands in brackets, and the values that they take from the stack and leave on it. */
export const Op = {
  /** [constant] → value. */
  constant: 0,
  pop: 1,
  duplicate: 2,
  /** Duplicates the two values on top. */
  duplicateTwo: 3,
  /** [slot] → value. */
  loadGlobal: 4,
  /** [slot] value → value. */
  storeGlobal: 5,
  loadLocal: 6,
  storeLocal: 7,
  /** [index of a special variable] → value. */
  loadSpecial: 8,
  storeSpecial: 9,
  /** index → value. */
  field: 10,
  /** index, value → value. */
  storeField: 11,
  /** [slot] → table. */
  globalTable: 12,
  localTable: 13,
  /** table, key → table. */
  subTable: 14,
  /** table, key → value. */
  element: 15,
  /** table, key, value → value. */
  storeElement: 16,
  /** table, key → whether it is there. */
  isIn: 17,
  deleteElement: 18,
  deleteTable: 19,
  /** [count] values → key. */
  joinKeys: 20,
  /** [by, 1 for prefix] index → value before or after. */
  incrementField: 21,
  incrementElement: 22,
  add: 23,
  subtract: 24,
  multiply: 25,
  divide: 26,
  modulo: 27,
  power: 28,
  less: 29,
  lessOrEqual: 30,
  equal: 31,
  notEqual: 32,
  greater: 33,
  greaterOrEqual: 34,
  negate: 35,
  toNumber: 36,
  not: 37,
  /** value → 0 or 1. */
  toTruth: 38,
  concat: 39,
  /** text, regular expression as text → 0 or 1. */
  match: 40,
  /** [constant: a compiled expression] text → 0 or 1. */
  matchConstant: 41,
  /** [target]. */
  jump: 42,
  /** [target] value. */
  jumpIfFalse: 43,
  jumpIfTrue: 44,
  /** [function, count] arguments → value. */
  call: 45,
  return: 46,
  /** [builtin, count] arguments → value. */
  builtin: 47,
  /** [0 main, 1 file, 2 command] (name) → 1, 0 or -1; the record is in the register. */
  getline: 48,
  /** The register as a value of the input. → value. */
  loadRead: 49,
  /** The register as the record. */
  setRecord: 50,
  /** [count, 0 none, 1 >, 2 >>, 3 |] values, name. */
  print: 51,
  printf: 52,
  /** table. Begins a loop over its keys. */
  beginKeys: 53,
  /** [target] → key; jumps after the last. */
  nextKey: 54,
  endKeys: 55,
  next: 56,
  nextFile: 57,
  /** value. */
  exit: 58,
  /** [1 for all matches] text, regular expression, replacement. */
  substitute: 59,
  /** → the text that `substitute` made. */
  loadReplaced: 60,
  /** [range] → whether it is open. */
  loadRange: 61,
  /** [range, 0 or 1]. */
  storeRange: 62,
  end: 63,
  /** → how many matches `substitute` replaced. */
  loadCount: 64,
  /** index → the field as a number, or as a text: it is not checked whether it looks like a number. */
  fieldNumber: 65,
  fieldText: 66,
  /** [index] → value. */
  fieldAt: 67,
  fieldNumberAt: 68,
  fieldTextAt: 69,
  /** [slot] value. */
  popGlobal: 70,
} as const

export interface CompiledFunction {
  readonly name: string
  readonly entry: number
  readonly params: number
}

export interface Code {
  readonly words: ReadonlyArray<number>
  readonly constants: ReadonlyArray<unknown>
  readonly functions: ReadonlyArray<CompiledFunction>
  /** Slots of global variables by name; `-v` and operands may add some. */
  readonly globals: Map<string, number>
  readonly begin: number | undefined
  readonly main: number | undefined
  readonly end: number | undefined
  /** Number of range patterns. */
  readonly ranges: number
}

/** Variables that the program does not keep itself. */
export const specials: readonly [
  ...["NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "FILENAME"],
  ...["RSTART", "RLENGTH", "RT", "FPAT"],
] = [
  ...["NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "FILENAME"] as const,
  ...["RSTART", "RLENGTH", "RT", "FPAT"] as const,
]

export type Special = typeof specials[number]
