//! Files of all formats, and the packages that they name.

use super::*;

/// Path, text, and the packages that it names.
const FILES: &[(&str, &str, &str)] = &[
    (
        "app/package-lock.json",
        r#"{"lockfileVersion":3,"packages":{"":{"name":"app","version":"1.0.0"},"lib":{"name":"lib","version":"1.0.0"},
                    "node_modules/lodash":{"version":"4.17.20"},"node_modules/a/node_modules/@x/y":{"version":"2.0.0"},
                    "node_modules/lib":{"link":true}}}"#,
        "npm @x/y 2.0.0, npm lodash 4.17.20",
    ),
    (
        "package-lock.json",
        r#"{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0","dependencies":{"b":{"version":"2.0.0"}}},
                    "c":{"version":"git+ssh://x"},"d":{"version":"npm:@real/d@3.0.0"}}}"#,
        "npm @real/d 3.0.0, npm a 1.0.0, npm b 2.0.0",
    ),
    (
        "yarn.lock",
        r#"# yarn lockfile v1

lodash@^4.17.0, lodash@^4.17.20:
  version "4.17.20"

"@b/core@npm:^7.0.0":
  version: 7.1.0
"#,
        "npm @b/core 7.1.0, npm lodash 4.17.20",
    ),
    (
        "aliases/yarn.lock",
        r#"alias@npm:real@^1.0.0:
  version "1.0.0"

"@a/b@npm:@real/b@~2.0.0, @a/b@npm:@real/b@^2.0.0":
  version: 2.0.0
"#,
        "npm @real/b 2.0.0, npm real 1.0.0",
    ),
    (
        "own/package-lock.json",
        r#"{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0","resolved":"git+ssh://git@github.com/x/a.git#1"},
                    "node_modules/b":{"version":"1.0.0","resolved":"file:../b.tgz"},
                    "node_modules/c":{"version":"1.0.0","resolved":"https://npm.acme.test/c/-/c-1.0.0.tgz"},
                    "node_modules/d":{"version":"1.0.0","resolved":"packages/d","link":true}}}"#,
        "npm c 1.0.0",
    ),
    (
        "berry/yarn.lock",
        r#"__metadata:
  version: 6

"root@workspace:.":
  version: 0.0.0-use.local
  resolution: "root@workspace:."

"own@^1.0.0, own@workspace:packages/own":
  version: 1.1.0
  resolution: "own@workspace:packages/own"

"linked@portal:../linked":
  version: 1.0.0

"kept@npm:>=1.0.0 <2, kept@npm:^1.1.0":
  version: 1.5.0

"patched@patch:patched@^1.0.0#./x.patch":
  version: 1.0.0
"#,
        "npm kept 1.5.0, npm patched 1.0.0",
    ),
    (
        "classic/yarn.lock",
        r#"# yarn lockfile v1

"own@file:../own":
  version "1.0.0"

"@a/linked@link:./linked":
  version "0.0.0"

forked@acme/forked:
  version "1.0.0"
  resolved "https://codeload.github.com/acme/forked/tar.gz/abc"

"fetched@^1.0.0":
  version "1.0.0"
  resolved "git+ssh://git@github.com/acme/fetched.git#abc"

kept@^1.0.0, "kept@>=1 <2":
  version "1.4.0"
  resolved "https://registry.yarnpkg.com/kept/-/kept-1.4.0.tgz#a"
"#,
        "npm kept 1.4.0",
    ),
    (
        "pnpm-lock.yaml",
        r#"packages:

  /lodash@4.17.20:
    resolution: {}
  '@b/core@7.1.0(x@1.0.0)':
    dev: true
  /old/1.2.3:
"#,
        "npm @b/core 7.1.0, npm lodash 4.17.20, npm old 1.2.3",
    ),
    (
        "earlier/pnpm-lock.yaml",
        r#"lockfileVersion: 5.4
overrides:
  forced@1.0.0: 1.0.1
packages:

  /a/1.0.0_react@17.0.2:
    resolution: {}
  /@b/core/1.1.0_@babel+core@7.1.0:
    resolution: {}
  /c/1.2.0-rc.1_react-dom@17.0.2+react@17.0.2:
    resolution: {}
  github.com/acme/own/0123456789:
    resolution: {}
  file:../own/1.0.0:
    resolution: {}
"#,
        "npm @b/core 1.1.0, npm a 1.0.0, npm c 1.2.0-rc.1",
    ),
    (
        "poetry.lock",
        r#"[[package]]
name = "Jinja2"
version = "2.11.2"

[package.dependencies]
name = "no"

[[package]]
name = "zope.interface"
version = "5.0"
"#,
        "PyPI jinja2 2.11.2, PyPI zope-interface 5.0",
    ),
    (
        "own/poetry.lock",
        r#"[[package]]
name = "fetched"
version = "1.0"

[package.source]
type = "git"
url = "https://github.com/acme/fetched"

[[package]]
name = "mirrored"
version = "1.0"

[package.source]
type = "legacy"
url = "https://pypi.acme.test/simple"
"#,
        "PyPI mirrored 1.0",
    ),
    (
        "uv.lock",
        r#"[[package]]
name = "app"
version = "0.1.0"
source = { editable = "." }

[[package]]
name = "fetched"
version = "1.0"
source = { git = "https://github.com/acme/fetched?rev=1#1" }

[[package]]
name = "kept"
version = "1.0"
source = { registry = "https://pypi.org/simple" }
"#,
        "PyPI kept 1.0",
    ),
    (
        "pdm.lock",
        "[[package]]\nname = \"a\"\nversion = \"1.0\"\ngit = \"https://x/a\"\n\n\
         [[package]]\nname = \"b\"\nversion = \"1.0\"\n",
        "PyPI b 1.0",
    ),
    (
        "Pipfile.lock",
        r#"{"default":{"requests":{"version":"==2.19.0"},"own":{"git":"x"}},"develop":{"py_test":{"version":"==6.0"}}}"#,
        "PyPI py-test 6.0, PyPI requests 2.19.0",
    ),
    (
        "requirements-dev.txt",
        r#"# a
requests[socks]==2.19.0 ; python_version < '3'
flask>=1.0
django == 3.0.1 \
    --hash=sha256:x
x==1.*
"#,
        "PyPI django 3.0.1, PyPI requests 2.19.0",
    ),
    (
        "Cargo.lock",
        r#"[[package]]
name = "app"
version = "0.1.0"

[[package]]
name = "time"
version = "0.1.43"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "sparse"
version = "1.0.0"
source = "sparse+https://index.crates.io/"

[[package]]
name = "forked"
version = "1.0.0"
source = "git+https://github.com/acme/forked?rev=1#abc"

[[package]]
name = "internal"
version = "1.0.0"
source = "registry+https://crates.acme.test/index"
"#,
        "crates.io sparse 1.0.0, crates.io time 0.1.43",
    ),
    (
        "go.mod",
        r#"module acme.test/app

go 1.22

require (
	github.com/gin-gonic/gin v1.6.0
	golang.org/x/net v0.1.0 // indirect
)
replace (
	github.com/a/b v1.0.0 => ../b
)
"#,
        "Go github.com/gin-gonic/gin 1.6.0, Go golang.org/x/net 0.1.0",
    ),
    (
        "replaced/go.mod",
        r#"require (
	github.com/a/b v1.0.0
	github.com/a/c v1.0.0
	github.com/a/d v1.0.0
	golang.org/x/net v0.1.0
	golang.org/x/text v0.3.0
)
replace golang.org/x/net => golang.org/x/net v0.30.0 // safe
replace (
	github.com/a/b v1.0.0 => ../b
	github.com/a/c v1.0.1 => github.com/fork/c v1.0.2
	github.com/a/d => github.com/other/d v2.0.0
	github.com/a/d v1.0.0 => github.com/fork/d v1.1.0
)
replace example.org/unused v => ./x
"#,
        "Go github.com/a/c 1.0.0, Go github.com/fork/d 1.1.0, Go golang.org/x/net 0.30.0, \
         Go golang.org/x/text 0.3.0",
    ),
    (
        "pom.xml",
        "<project><properties><log4j.version>2.14.1</log4j.version></properties><dependencies><dependency>\
             <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-core</artifactId><version>${log4j.version}</version>\
             </dependency><dependency><groupId>a</groupId><artifactId>b</artifactId></dependency></dependencies></project>",
        "Maven org.apache.logging.log4j:log4j-core 2.14.1",
    ),
    (
        "commented/pom.xml",
        "<project><!-- <dependency><groupId>a</groupId><artifactId>old</artifactId><version>1</version></dependency>\
             --><dependency><groupId>a</groupId><!-- was <version>1.0</version> --><artifactId>b</artifactId>\
             <version>2.0</version></dependency><!-- <dependency><groupId>a</groupId><artifactId>c</artifactId>\
             <version>3</version></dependency>",
        "Maven a:b 2.0",
    ),
    ("gradle.lockfile", "# x\norg.a:b:1.2.3=runtimeClasspath\nempty=\n", "Maven org.a:b 1.2.3"),
    (
        "Gemfile.lock",
        r#"GIT
  remote: x
  specs:
    own (1.0)

GEM
  remote: https://rubygems.org/
  specs:
    rack (2.2.3)
      dep (>= 1)
    nokogiri (1.10.0-x86_64-linux)

PLATFORMS
"#,
        "RubyGems nokogiri 1.10.0, RubyGems rack 2.2.3",
    ),
    (
        "composer.lock",
        r#"{"packages":[{"name":"symfony/http-kernel","version":"v4.4.0"}],"packages-dev":[{"name":"a/b","version":"dev-main"}]}"#,
        "Packagist symfony/http-kernel 4.4.0",
    ),
    (
        "own/composer.lock",
        r#"{"packages":[{"name":"acme/own","version":"1.0.0","dist":{"type":"path","url":"../own"}},
                    {"name":"a/b","version":"1.0.0","dist":{"type":"zip"}}]}"#,
        "Packagist a/b 1.0.0",
    ),
    (
        "packages.lock.json",
        r#"{"version":1,"dependencies":{"net8.0":{"Newtonsoft.Json":{"type":"Direct","resolved":"12.0.1"}}}}"#,
        "NuGet Newtonsoft.Json 12.0.1",
    ),
    ("Cargo.lock", "nonsense", ""),
    (
        "bun.lock",
        r#"{
  "lockfileVersion": 1,
  "workspaces": { "": { "name": "app", "dependencies": { "lodash": "4.17.20" } }, },
  "packages": {
    // What is installed.
    "lodash": ["lodash@4.17.20", "", {}, "sha512-x=="],
    "alias": [
      "@b/core@7.1.0", "", { "dependencies": { "x": "1.0.0" } }, "sha512-x=="],
    "own": ["own@workspace:packages/own"],
    "forked": ["forked@github:acme/forked#abc", {}, "abc"],
  },
}"#,
        "npm @b/core 7.1.0, npm lodash 4.17.20",
    ),
    (
        "pylock.dev.toml",
        "lock-version = \"1.0\"\n[[packages]]\nname = \"attrs\"\nversion = \"25.1.0\"\n[[packages]]\nname = \
         \"fetched\"\nversion = \"1.0\"\n[packages.vcs]\ntype = \"git\"\n[[packages]]\nname = \"own\"\nversion = \
         \"1.0\"\ndirectory = { path = \".\" }\n",
        "PyPI attrs 25.1.0",
    ),
    ("buildscript-gradle.lockfile", "org.a:b:1.2.3=classpath\nempty=\n", "Maven org.a:b 1.2.3"),
    ("a/gradle/dependency-locks/compileClasspath.lockfile", "# x\norg.a:b:1.2.3\n", "Maven org.a:b 1.2.3"),
    ("gradle/dependency-locks/compileClasspath.lockfile", "org.a:b:1.2.3\n", "Maven org.a:b 1.2.3"),
    (
        "gems.locked",
        "GEM\r\n  remote: https://rubygems.org/\r\n  specs:\r\n    rack (2.2.3)\r\n\r\nPLATFORMS\r\n",
        "RubyGems rack 2.2.3",
    ),
    ("case/composer.lock", r#"{"packages":[{"name":"A/B","version":"1.0.0"}]}"#, "Packagist a/b 1.0.0"),
    (
        "packages.config",
        "<packages>\n  <package id=\"Newtonsoft.Json\" version=\"12.0.1\" targetFramework=\"net45\" />\n  \
         <package version='1.0' id='Other'/>\n  <!-- <package id=\"Old\" version=\"1.0\" /> -->\n</packages>",
        "NuGet Newtonsoft.Json 12.0.1, NuGet Other 1.0",
    ),
    (
        "src/App.csproj",
        "<Project><ItemGroup>\n<PackageReference Include=\"Newtonsoft.Json\" Version=\"12.0.1\" />\n\
         <PackageReference Include='Exact' Version='[2.0.0-rc.1]'></PackageReference>\n\
         <PackageReference Include=\"Member\">\n<Version> 3.1 </Version><PrivateAssets>all</PrivateAssets>\n\
         </PackageReference><PackageReference Include=\"Elsewhere\" /><PackageReference Include=\"Property\" \
         Version=\"$(V)\"/><PackageReference Include=\"Floating\" Version=\"1.*\"/><PackageReference \
         Include=\"Range\" Version=\"[1.0,2.0)\"/><!-- <PackageReference Include=\"Old\" Version=\"1.0\" /> \
         --></ItemGroup></Project>",
        "NuGet Exact 2.0.0-rc.1, NuGet Member 3.1, NuGet Newtonsoft.Json 12.0.1",
    ),
    (
        "Directory.Packages.props",
        "<Project><ItemGroup><PackageVersion Include=\"A\" Version=\"1.2\" /><GlobalPackageReference \
         Include=\"B\" Version=\"2.0\"/></ItemGroup></Project>",
        "NuGet A 1.2, NuGet B 2.0",
    ),
    (
        "parent/pom.xml",
        "<project><parent><groupId>org.p</groupId><artifactId>parent</artifactId><version>3.0</version></parent>\
         <properties><a>${b}</a><b>1.1</b><loop>${loop}</loop></properties><dependencyManagement><dependencies>\
         <dependency><groupId>org.a</groupId><artifactId>bom</artifactId><version>${a}</version></dependency>\
         </dependencies></dependencyManagement><artifactId>app</artifactId><dependencies><dependency><groupId>\
         ${project.groupId}</groupId><artifactId>x</artifactId><version>${project.version}</version></dependency>\
         <dependency><groupId>org.a</groupId><artifactId>y</artifactId><version>${project.parent.version}</version>\
         </dependency><dependency><groupId>org.a</groupId><artifactId>z</artifactId><version>${loop}</version>\
         </dependency></dependencies></project>",
        "Maven org.a:bom 1.1, Maven org.a:y 3.0, Maven org.p:parent 3.0, Maven org.p:x 3.0",
    ),
    (
        "versioned/pom.xml",
        "<project><groupId>org.x</groupId><artifactId>b</artifactId><version>1.0.0</version><dependencies>\
         <dependency><groupId>${project.groupId}</groupId><artifactId>m</artifactId><version>${project.version}\
         </version></dependency></dependencies></project>",
        "Maven org.x:m 1.0.0",
    ),
];

#[test]
fn every_lock_file_names_its_packages_and_what_is_no_exact_version_is_left_out() {
    for (path, text, wanted) in FILES {
        let found: Vec<String> = packages(path, text)
            .unwrap_or_else(|| panic!("{path}"))
            .iter()
            .map(|one| format!("{} {} {}", one.ecosystem, one.name, one.version))
            .collect();
        assert_eq!(found.join(", "), *wanted, "{path}");
    }
    for (path, lock) in [("a/b/App.csproj", "a/b/packages.lock.json"), ("App.vbproj", "packages.lock.json")] {
        assert_eq!(lock_beside(path).as_deref(), Some(lock));
    }
    assert_eq!(lock_beside("a/pom.xml"), None);
    for (path, text) in [("package.json", "{}"), ("package-lock.json", "{"), ("notes.txt", "a==1.0")] {
        assert_eq!(packages(path, text), None, "{path}");
    }
}
