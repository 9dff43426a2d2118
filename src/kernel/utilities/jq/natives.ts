/** Implements the functions of jq that are written in TypeScript. Source: jq(1), builtin.c of jq 1.7.1. */
import { detach } from "../../detach.ts"
import { JqArray, JqObject, type Value } from "./values.ts"
import type { Machine } from "./Machine.ts"
import {
  binary,
  countInput,
  fromMachine,
  HaltSignal,
  inSteps,
  keepingPath,
  type Native,
  strings,
  unary,
} from "./Native.ts"
import { addAll, flatten, join, keysOf, reverse, sortedKeysOf, toEntries } from "./collections.ts"
import { compare } from "./compare.ts"
import { formatJson, toJsonText } from "./formatJson.ts"
import { formatText, toText } from "./formats.ts"
import { fail, JqError } from "./JqError.ts"
import * as mathematics from "./mathematics.ts"
import { contains, failType, failTypes, splitText } from "./operators.ts"
import { parseText } from "./parseText.ts"
import { deletePaths, hasKey, setPath } from "./paths.ts"
import { preludeNames } from "./prelude.ts"
import { extreme, groupBy, sort, sortBy } from "./sorting.ts"
import {
  captures,
  explode,
  implode,
  indicesOf,
  lengthOf,
  mapAscii,
  matchImpl,
  number,
  textLength,
  toNumber,
  trim,
  utf8Length,
} from "./textNatives.ts"
import { compareText } from "./texts.ts"
import { breakTime, formatTime, mktime, strptime } from "./times.ts"
import { numberOf, typeName } from "./kinds.ts"

const mathNatives: Record<string, Native> = {}
for (const [name, compute] of Object.entries(mathematics.unary)) {
  mathNatives[`${name}/0`] = unary((value) => compute(number(value)))
}
for (const [name, compute] of Object.entries(mathematics.binary)) {
  mathNatives[`${name}/2`] = { apply: (_, [a = null, b = null]) => compute(number(a), number(b)) }
}

const environment = (machine: Machine): Value => new JqObject(new Map<string, Value>(machine.host.system.env))

export const natives: Readonly<Record<string, Native>> = {
  ...mathNatives,
  "frexp/0": unary((value) => new JqArray([...mathematics.frexp(number(value))])),
  "modf/0": unary((value) => {
    const whole = Math.trunc(number(value))
    return new JqArray([Number.isFinite(whole) ? number(value) - whole : whole === whole ? 0 : NaN, whole])
  }),
  "lgamma_r/0": unary((value) =>
    new JqArray([mathematics.lgamma(number(value)), mathematics.gamma(number(value)) < 0 ? -1 : 1])
  ),
  "fma/3": { apply: (_, [a = null, b = null, c = null]) => number(a) * number(b) + number(c) },
  "not/0": unary((value) => value === null || value === false),
  "length/0": {
    apply: (value) => {
      countInput(value)
      return lengthOf(value)
    },
    finish: (machine, value) => machine.runSteps(textLength(typeof value === "string" ? value : "")),
  },
  "utf8bytelength/0": unary((value) =>
    typeof value === "string" ? utf8Length(value) : failType(value, "only strings have UTF-8 byte length")
  ),
  "type/0": unary(typeName),
  "keys/0": inSteps(sortedKeysOf),
  "keys_unsorted/0": unary(keysOf),
  "has/1": binary(hasKey),
  "contains/1": inSteps((value, [arg = null]) =>
    typeName(value) === typeName(arg)
      ? contains(value, arg)
      : failTypes(value, arg, "cannot have their containment checked")
  ),
  "abs/0": unary((value) => compare(value, 0) < 0 ? -(numberOf(value) ?? failType(value, "cannot be negated")) : value),
  "add/0": inSteps(addAll),
  "join/1": inSteps((value, [separator = null]) => join(value, separator)),
  "_flatten/1": inSteps((value, [depth = null]) => flatten(value, number(depth))),
  "to_entries/0": inSteps(toEntries),
  "reverse/0": unary(reverse),
  "tojson/0": inSteps((value) => toJsonText(value)),
  "tostring/0": keepingPath(inSteps(function* (value) {
    return typeof value === "string" ? value : yield* toJsonText(value)
  })),
  "fromjson/0": inSteps((value) =>
    typeof value === "string" ? parseText(value) : failType(value, "only strings can be parsed")
  ),
  "tonumber/0": keepingPath(inSteps(toNumber)),
  "format/1": inSteps((value, [name = null]) =>
    typeof name === "string" ? formatText(name, value) : failType(name, "is not a valid format")
  ),
  "ascii_downcase/0": mapAscii(/[A-Z]+/g, (text) => text.toLowerCase()),
  "ascii_upcase/0": mapAscii(/[a-z]+/g, (text) => text.toUpperCase()),
  "explode/0": inSteps(explode),
  "implode/0": inSteps(implode),
  "trim/0": trim((text) => text.trim()),
  "ltrim/0": trim((text) => text.trimStart()),
  "rtrim/0": trim((text) => text.trimEnd()),
  "startswith/1": strings(
    (value, arg) => value.startsWith(arg),
    () => fail("startswith() requires string inputs"),
  ),
  "endswith/1": strings((value, arg) => value.endsWith(arg), () => fail("endswith() requires string inputs")),
  "ltrimstr/1": keepingPath(strings(
    (value, arg) => value.startsWith(arg) ? detach(value.slice(arg.length), value.length) : value,
    (value) => value,
  )),
  "rtrimstr/1": keepingPath(strings(
    (value, arg) => value.endsWith(arg) ? detach(value.slice(0, value.length - arg.length), value.length) : value,
    (value) => value,
  )),
  "split/1": inSteps((value, [separator]) =>
    typeof value === "string" && typeof separator === "string"
      ? splitText(value, separator)
      : fail("split input and separator must be strings")
  ),
  "_strindices/1": inSteps((value, [part = null]) => indicesOf(value, part)),
  "setpath/2": { apply: (value, [path = null, part = null]) => setPath(value, path, part) },
  "delpaths/1": binary(deletePaths),
  "sort/0": inSteps((value) => sort(value)),
  "_sort_by_impl/1": inSteps((value, [keys = null]) => sortBy(value, keys)),
  "_group_by_impl/1": inSteps((value, [keys = null]) => groupBy(value, keys)),
  "min/0": unary((value) => extreme(value, value, true)),
  "max/0": unary((value) => extreme(value, value, false)),
  "_min_by_impl/1": binary((value, keys) => extreme(value, keys, true)),
  "_max_by_impl/1": binary((value, keys) => extreme(value, keys, false)),
  "_match_impl/3": matchImpl,
  "_captures/0": unary(captures),
  "infinite/0": unary(() => Infinity),
  "nan/0": unary(() => NaN),
  "isinfinite/0": unary((value) => Math.abs(numberOf(value) ?? 0) === Infinity),
  "isnan/0": unary((value) => Number.isNaN(numberOf(value))),
  "isnormal/0": unary((value) => {
    const amount = Math.abs(numberOf(value) ?? 0)
    return amount >= 2.2250738585072014e-308 && amount < Infinity
  }),
  "error/0": unary((value) => {
    throw new JqError(value)
  }),
  "halt/0": unary(() => {
    throw new HaltSignal(0)
  }),
  "halt_error/1": binary((value, code) => {
    throw new HaltSignal(numberOf(code) ?? failType(value, "halt_error/1: number required"), value)
  }),
  "gmtime/0": unary((value) => breakTime(value, "UTC", "gmtime")),
  "mktime/0": unary(mktime),
  "strptime/1": binary(strptime),
  "strftime/1": binary((value, format) => formatTime(value, format, "UTC", "strftime")),
  "localtime/0": fromMachine(({ host, value }) => breakTime(value, host.zone ?? "UTC", "localtime")),
  "strflocaltime/1": {
    finish: (machine, value, [format = null]) =>
      machine.emitNew(formatTime(value, format, machine.host.zone ?? "UTC", "strflocaltime")),
  },
  "now/0": fromMachine(({ host }) => Number(host.system.now() / 1000n) / 1_000_000),
  "env/0": fromMachine(environment),
  "input_filename/0": fromMachine(({ host }) => host.inputFile()),
  "input_line_number/0": fromMachine(({ host }) => host.inputLine()),
  "get_search_list/0": fromMachine(({ host }) => new JqArray([...host.searchPaths])),
  "debug/0": {
    finish: (machine, value) => {
      machine.host.printMessage(`${formatJson(new JqArray(["DEBUG:", value]))}\n`)
      machine.emit(value, machine.path)
    },
  },
  "stderr/0": {
    finish: (machine, value) => {
      machine.host.printMessage(toText(value))
      machine.emit(value, machine.path)
    },
  },
  "input/0": {
    finish: (machine) => {
      const next = machine.host.nextInput()
      const check = (value: Value | undefined): Value => value === undefined ? fail("break") : value
      if (next instanceof Promise) machine.wait(next.then(check))
      else machine.emitNew(check(next))
    },
  },
  "modulemeta/0": {
    finish: (machine, value) => {
      if (typeof value !== "string") fail("modulemeta input module name must be a string")
      else machine.wait(machine.host.moduleMeta(value))
    },
  },
  "builtins/0": unary(() => {
    const names = [
      ...Object.keys(natives),
      ...preludeNames(),
      "empty/0",
      "path/1",
      "getpath/1",
      "limit/2",
      "nth/2",
      "range/1",
      "range/2",
      "select/1",
      "map/1",
    ]
    return new JqArray(names.filter((name) => !name.startsWith("_")).sort(compareText))
  }),
}
