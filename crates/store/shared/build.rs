//! Lists the adapter's statements with the names of their files, so that a span can say which one ran, and lists its migrations.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut list = String::from("const STATEMENTS: &[(&str, &str)] = &[\n");
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo names the folder")?);
    for root in [crate_folder.join("sql"), crate_folder.join("../store/sql")] {
        println!("cargo::rerun-if-changed={}", root.display());
        collect(&root, &root, &mut list)?;
    }
    list.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo names a folder for output")?);
    fs::write(out.join("statements.rs"), list)?;
    let package = env::var_os("CARGO_PKG_NAME").ok_or("cargo names the package")?;
    let engine = package.to_str().ok_or("names of packages are plain")?.replace("adagent-store-", "");
    fs::write(out.join("migrations.rs"), migrations(&crate_folder.join("../../migrations").join(engine))?)?;
    Ok(())
}

/// Lists the migrations of an engine, `NNNN_name.sql`, in the order of their numbers.
fn migrations(folder: &Path) -> Result<String, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut list = String::from("const MIGRATIONS: &[Migration] = &[\n");
    for path in sorted(folder)?.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
    {
        let file = path.file_stem().and_then(|name| name.to_str()).ok_or("names of migrations are plain")?;
        let (number, name) = file.split_once('_').ok_or_else(|| format!("{file} is not named NNNN_name"))?;
        let version: i64 = number.parse()?;
        let text = path.to_str().ok_or("the path is plain")?;
        writeln!(list, "    Migration {{ version: {version}, name: {name:?}, text: include_str!({text:?}) }},")?;
    }
    list.push_str("];\n");
    Ok(list)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

fn collect(root: &Path, folder: &Path, list: &mut String) -> Result<(), Box<dyn Error>> {
    for path in sorted(folder)? {
        if path.is_dir() {
            collect(root, &path, list)?;
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            let name = path.strip_prefix(root)?.with_extension("");
            let name = name.to_str().ok_or("names of statements are plain")?;
            writeln!(list, "    ({name:?}, include_str!({:?})),", path.to_str().ok_or("the path is plain")?)?;
        }
    }
    Ok(())
}
