//! The door of the module: text goes in and out through two buffers, owners of keys through two
//! arrays. A page has one session.
//!
//! A script asks for room with [`room`], writes a [`Request`](crate::Request) in UTF-8 there, calls
//! [`ask`], and reads the answer from [`answer`], as long as `ask` said. After a view of a side the
//! owners of all keys, before and after the last change, are at [`owners`], a 32-bit identity each.
#![allow(unsafe_code, reason = "names without mangling are how a script finds functions")]

use std::cell::RefCell;

use crate::{Session, Side};

/// Longest request in bytes: names and keys of a megabyte are refused in words, more is not read.
pub const REQUEST_BYTES_MAX: usize = 16 << 20;

#[derive(Default)]
struct Door {
    session: Session,
    request: Vec<u8>,
    answer: String,
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

/// Makes room for a request of so many bytes; nowhere (0) where that is too long.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    if bytes > REQUEST_BYTES_MAX {
        return std::ptr::null_mut();
    }
    DOOR.with_borrow_mut(|door| {
        door.request.clear();
        door.request.resize(bytes, 0);
        door.request.as_mut_ptr()
    })
}

/// Answers the request in the room; gives the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    DOOR.with_borrow_mut(|door| {
        let Door { session, request, answer } = door;
        *answer = session.ask(request);
        answer.len()
    })
}

/// Where the last answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    DOOR.with_borrow(|door| door.answer.as_ptr())
}

fn side_of(number: u32) -> Side {
    if number == 0 { Side::Left } else { Side::Right }
}

/// Where the owners of all keys on a side (0 left, 1 right) begin: after the last change (0), or
/// before it (1). As many as there are keys, or none.
#[unsafe(no_mangle)]
pub extern "C" fn owners(side: u32, before: u32) -> *const u32 {
    DOOR.with_borrow(|door| door.session.owners(side_of(side), before != 0).as_ptr().cast())
}

/// Where begins what the last change did to each key of a side (0 left, 1 right), a byte each:
/// 0 it stays, 1 it moved, 2 it moved sideways. As many as there are keys, or none.
#[unsafe(no_mangle)]
pub extern "C" fn kinds(side: u32) -> *const u8 {
    DOOR.with_borrow(|door| door.session.kinds(side_of(side)).as_ptr())
}
