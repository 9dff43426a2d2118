/**
 * Defines the functions of jq that are written in jq, which are parsed when one is first called. Source: jq(1),
 * builtin.jq of jq 1.7.1.
 */
import { ModuleParser } from "./ModuleParser.ts"
import type { Definition } from "./Syntax.ts"

/** Functions of a text or an array of a text and flags, as `match` takes them. */
const byArray = (name: string): string =>
  `def ${name}($val): ($val|type) as $vt | if $vt == "string" then ${name}($val; null)
   elif $vt == "array" and ($val | length) > 1 then ${name}($val[0]; $val[1])
   elif $vt == "array" and ($val | length) > 0 then ${name}($val[0]; null)
   else error($vt + " not a string or array") end;`

const source = `
def error(msg): msg|error;
def halt_error: halt_error(5);
def sort_by(f): _sort_by_impl(map([f]));
def group_by(f): _group_by_impl(map([f]));
def unique: group_by(.) | map(.[0]);
def unique_by(f): group_by(f) | map(.[0]);
def max_by(f): _max_by_impl(map([f]));
def min_by(f): _min_by_impl(map([f]));
def add(f): reduce f as $x (null; . + $x);
def del(f): delpaths([path(f)]);
def map_values(f): .[] |= f;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def recurse: recurse(.[]?);
def with_entries(f): to_entries | map(f) | from_entries;
def from_entries: map({(.key // .Key // .name // .Name): (if has("value") then .value else .Value end)}) | add | .//={};
def indices($i): if type == "array" and ($i|type) == "array" then .[$i]
  elif type == "array" then .[[$i]]
  elif type == "string" and ($i|type) == "string" then _strindices($i)
  else .[$i] end;
def index($i): indices($i) | .[0];
def rindex($i): indices($i) | .[-1:][0];
def paths: path(recurse)|select(length > 0);
def paths(node_filter): path(recurse|select(node_filter))|select(length > 0);
def leaf_paths: paths(scalars);
def isfinite: type == "number" and (isinfinite | not);
def isvalid(f): try (f|true) catch false;
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type|. == "array" or . == "object");
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def normals: select(isnormal);
def finites: select(isfinite);
def strings: select(type == "string");
def nulls: select(. == null);
def values: select(. != null);
def scalars: select(type|. != "array" and . != "object");
def flatten: _flatten(-1);
def flatten($x): if $x < 0 then error("flatten depth must not be negative") else _flatten($x) end;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ")|mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def todate: todateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def match(re; mode): _match_impl(re; mode; false)|.[];
def test(re; mode): _match_impl(re; mode; true);
${["match", "test", "capture"].map(byArray).join("\n")}
def capture(re; mods): match(re; mods) | _captures;
def scan($re; $flags): match($re; "g" + $flags) | if (.captures|length > 0) then [ .captures | .[] | .string ] else .string end;
def scan($re): scan($re; null);
def splits($re; flags): split($re; flags) | .[];
def splits($re): splits($re; null);
def split($re; flags): . as $s | [ foreach ((match($re; flags+"g") | [.offset, .length]), null) as $m
  ([0, null]; if $m == null then [0, .[0], null] else [$m[0] + $m[1], .[0], $m[0]] end; $s[.[1]:.[2]]) ];
def sub($re; str; $flags): . as $in | (reduce match($re; $flags) as $edit ({result: [], previous: 0};
      $in[ .previous: ($edit | .offset) ] as $gap
    | [ $edit | _captures | str ] as $inserts
    | reduce range(0; $inserts|length) as $ix (.; .result[$ix] += $gap + $inserts[$ix])
    | .previous = ($edit | .offset + .length ) )
  | .result[] + $in[.previous:] ) // $in;
def sub($re; str): sub($re; str; "");
def gsub($re; str; flags): sub($re; str; flags + "g");
def gsub($re; str): sub($re; str; "g");
def while(cond; update): def _while: if cond then ., (update | _while) else empty end; _while;
def until(cond; next): def _until: if cond then . else (next|_until) end; _until;
def skip($n; exp): if $n > 0 then foreach exp as $item ($n; . - 1; if . < 0 then $item else empty end)
  elif $n == 0 then exp else error("skip doesn't support negative count") end;
def range($init; $upto; $by): if $by > 0 then $init|while(. < $upto; . + $by)
  elif $by < 0 then $init|while(. > $upto; . + $by) else empty end;
def first(g): label $out | g | ., break $out;
def isempty(g): label $out | (g|false, break $out), true;
def all(generator; condition): isempty(first(generator|condition and empty));
def any(generator; condition): isempty(first(generator|condition or empty))|not;
def all(condition): all(.[]; condition);
def any(condition): any(.[]; condition);
def all: all(.[]; .);
def any: any(.[]; .);
def last(g): reduce g as $item (null; $item);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $y | [$x] + $y end;
def combinations(n): . as $dot | [range(n) | $dot] | combinations;
def transpose: [range(0; map(length)|max // 0) as $i | [.[][$i]]];
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def repeat(exp): def _repeat: exp, _repeat; _repeat;
def inputs: try repeat(input) catch if . == "break" then empty else error end;
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0]|length) > $n then setpath([0];$input[0][$n:]) else empty end;
def fromstream(i): {x: null, e: false} as $init | foreach i as $i ($init;
    if .e then $init else . end
    | if $i|length == 2 then setpath(["e"]; $i[0]|length==0) | setpath(["x"]+$i[0]; $i[1])
      else setpath(["e"]; $i[0]|length==1) end;
    if .e then .x else empty end);
def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p+$q]);
def bsearch($target): if length == 0 then -1 else . as $in
  | {low: 0, high: length}
  | until(.low >= .high; ((.low + .high) / 2 | floor) as $mid
    | if $in[$mid] < $target then .low = $mid + 1 else .high = $mid end)
  | .low as $at | if $at < ($in | length) and $in[$at] == $target then $at else -1 - $at end end;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def pick(pathexps): . as $in | reduce path(pathexps) as $a (null; setpath($a; $in|getpath($a)));
def debug(msgs): (msgs | debug | empty), .;
def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row|idx_expr|tostring] |= $row);
def INDEX(idx_expr): INDEX(.[]; idx_expr);
def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];
def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];
def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def ascii: [.] | implode;
def toarray: if type == "array" then . else [.] end;
def have_literal_numbers: true;
def have_decnum: true;
`

let definitions: ReadonlyMap<string, Definition> | undefined

const load = (): ReadonlyMap<string, Definition> => {
  const { definitions: all } = new ModuleParser(`${source}\n.`, "<builtin>").module()
  return new Map(all.map((definition) => [`${definition.name}/${definition.params.length}`, definition]))
}

export const preludeNames = (): Iterable<string> => (definitions ??= load()).keys()

/** The definition of `name/arity`. */
export const preludeOf = (key: string): Definition | undefined => (definitions ??= load()).get(key)
