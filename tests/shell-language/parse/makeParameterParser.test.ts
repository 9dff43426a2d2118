import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses every form of ${}", () => {
  expectTrees({
    "$a ${a} ${10} ${@} ${#} ${?} ${!} ${-} ${$}": "[cmd($a $a $10 $@ $# $? $! $- $$)]",
    "${a-b} ${a=b} ${a?b} ${a+b}":
      "[cmd($a{ParameterFallback{operator:- word:b}} $a{ParameterFallback{operator:= word:b}} $a{ParameterFallback{operator:? word:b}} $a{ParameterFallback{operator:+ word:b}})]",
    "${a:-b c} ${a:=} ${a:?$b} ${a:+\"b\"'c'}":
      "[cmd($a{ParameterFallback{operator:- colon:true word:b c}} $a{ParameterFallback{operator:= colon:true word:∅}} $a{ParameterFallback{operator:? colon:true word:$b}} $a{ParameterFallback{operator:+ colon:true word:\"b\"·'c'}})]",
    '"${a:-b\'c\'"d"}"': '[cmd("$a{ParameterFallback{operator:- colon:true word:b\'c\'·"d"}}")]',
    "\"${a:-'}'}\"": "[cmd(\"$a{ParameterFallback{operator:- colon:true word:'}'}}\")]",
    "${a:-}}": "[cmd($a{ParameterFallback{operator:- colon:true word:∅}}·})]",
    "${a:-~/b}": "[cmd($a{ParameterFallback{operator:- colon:true word:Tilde{user:}·/b}})]",
    '${a#b*} ${a##*/} ${a%.c} ${a%%"$b"}':
      '[cmd($a{ParameterTrim{side:prefix pattern:b*}} $a{ParameterTrim{side:prefix longest:true pattern:*/}} $a{ParameterTrim{side:suffix pattern:.c}} $a{ParameterTrim{side:suffix longest:true pattern:"$b"}})]',
    "\"${a#'b'}\"": "[cmd(\"$a{ParameterTrim{side:prefix pattern:'b'}}\")]",
    "${a/b/c} ${a//b/c} ${a/#b/c} ${a/%b/c} ${a//b} ${a/b}":
      "[cmd($a{ParameterReplace{which:first pattern:b replacement:c}} $a{ParameterReplace{which:all pattern:b replacement:c}} $a{ParameterReplace{which:prefix pattern:b replacement:c}} $a{ParameterReplace{which:suffix pattern:b replacement:c}} $a{ParameterReplace{which:all pattern:b}} $a{ParameterReplace{which:first pattern:b}})]",
    "${a////_} ${a/\\//b} ${a//'/'/b} ${a/b/c/d}":
      "[cmd($a{ParameterReplace{which:all pattern:/ replacement:_}} $a{ParameterReplace{which:first pattern:\\/ replacement:b}} $a{ParameterReplace{which:all pattern:'/' replacement:b}} $a{ParameterReplace{which:first pattern:b replacement:c/d}})]",
    "${a:1} ${a:1:2} ${a: -1} ${a:(-1):b+1} ${a:b?1:2:3} ${@:2}":
      "[cmd($a{ParameterSlice{offset:1}} $a{ParameterSlice{offset:1 length:2}} $a{ParameterSlice{offset:(-1)}} $a{ParameterSlice{offset:(-1) length:(b + 1)}} $a{ParameterSlice{offset:(b ? 1 : 2) length:3}} $@{ParameterSlice{offset:2}})]",
    "${a^} ${a^^} ${a,} ${a,,[a-z]} ${a~} ${a~~}":
      "[cmd($a{ParameterCase{to:upper}} $a{ParameterCase{to:upper all:true}} $a{ParameterCase{to:lower}} $a{ParameterCase{to:lower all:true pattern:[a-z]}} $a{ParameterCase{to:toggle}} $a{ParameterCase{to:toggle all:true}})]",
    "${a@Q} ${a[@]@A}": "[cmd($a{ParameterTransform{operator:Q}} $a[@]{ParameterTransform{operator:A}})]",
    "${#a} ${#} ${##} ${#@} ${#a[@]} ${#1} ${#?}":
      "[cmd($a{ParameterLength{}} $# $#{ParameterLength{}} $@{ParameterLength{}} $a[@]{ParameterLength{}} $1{ParameterLength{}} $?{ParameterLength{}})]",
    "${#-a} ${##a} ${#%a} ${#:-a}":
      "[cmd($#{ParameterFallback{operator:- word:a}} $#{ParameterTrim{side:prefix pattern:a}} $#{ParameterTrim{side:suffix pattern:a}} $#{ParameterFallback{operator:- colon:true word:a}})]",
    "${!a} ${!a*} ${!a@} ${!a[@]} ${!a[*]} ${!a[1]} ${!a:-b} ${!#} ${!1}":
      "[cmd($!a $a{ParameterNames{mark:*}} $a{ParameterNames{mark:@}} $a[@]{ParameterKeys{mark:@}} $a[*]{ParameterKeys{mark:*}} $!a[1=1] $!a{ParameterFallback{operator:- colon:true word:b}} $!# $!1)]",
    "${!} ${!-a} ${!:-a}":
      "[cmd($! $!{ParameterFallback{operator:- word:a}} $!{ParameterFallback{operator:- colon:true word:a}})]",
    '${a[1]} ${a[i+1]} ${a[@]} ${a[*]} ${a[$(b)]} ${a["c d"]:-e}':
      '[cmd($a[1=1] $a[i+1=(i + 1)] $a[@] $a[*] $a[CommandSubstitution{script:[cmd(b)]}=CommandSubstitution{script:[cmd(b)]}] $a["c d"="c d"]{ParameterFallback{operator:- colon:true word:e}})]',
    "${a[1]/b/c} ${a[@]:1:2} ${a[@]#b}":
      "[cmd($a[1=1]{ParameterReplace{which:first pattern:b replacement:c}} $a[@]{ParameterSlice{offset:1 length:2}} $a[@]{ParameterTrim{side:prefix pattern:b}})]",
    "${a!} ${(f)a} ${ a;} ${a b} ${a@Z} ${} ${a[} ${#a-b}":
      "[cmd(BadSubstitution{parts:[$a !]} BadSubstitution{parts:[(f)a]} BadSubstitution{parts:[ a;]} BadSubstitution{parts:[$a  b]} BadSubstitution{parts:[$a @Z]} BadSubstitution{} BadSubstitution{} BadSubstitution{parts:[$a{ParameterLength{}} -b]})]",
    "${a!$(b)}": "[cmd(BadSubstitution{parts:[$a ! CommandSubstitution{script:[cmd(b)]}]})]",
    "${a:-${b:-${c}}}":
      "[cmd($a{ParameterFallback{operator:- colon:true word:$b{ParameterFallback{operator:- colon:true word:$c}}}})]",
    "${a:-$(b)`c`$((1))}":
      "[cmd($a{ParameterFallback{operator:- colon:true word:CommandSubstitution{script:[cmd(b)]}·CommandSubstitution{backquoted:true script:[cmd(c)]}·ArithmeticExpansion{text:1}}})]",
    "${\\\na\\\n:\\\n-b}": "[cmd($a{ParameterFallback{operator:- colon:true word:b}})]",
    "${a:-<(b)}":
      "[cmd($a{ParameterFallback{operator:- colon:true word:ProcessSubstitution{direction:< script:[cmd(b)]}}})]",
  })
})
