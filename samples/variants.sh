#!/usr/bin/env bash
# Makes the unusual files that a video reader meets from faces.mp4, with ffmpeg (5.1 or newer).
#
#   variants.sh DIRECTORY [NAME...]     all of them, or only the named ones; existing files are kept
#
# A variant whose encoder is missing in this ffmpeg is skipped with a line on stderr. The orientations, the sub-layers and the
# fields also need python3. Most variants show seconds 2 to 5 of faces.mp4: one face, a hard cut after one second, then
# another face, which grows.
#
# Time       vfr.mp4 vfr.mkv           irregular gaps between frames, off any frame-rate grid
#            starttime.mp4 .ts         the video starts at 12.345 s / 13.745 s, the container (its audio) 24 ms before
#            audiofirst.mp4 .mkv       audio is stream 0 and starts about 0.7 s before the video
#            editlist.mp4              an edit list cuts into a GOP: decode, but do not show, the first frames
#            oneframe.mp4 zeroframe.mp4  one frame; a video track without a sample
#            joined.ts                 starttime.ts twice, as cat joins it: the timestamps jump back by three seconds
#            reset.ts                  longgop.mp4, but the clock jumps ahead by eight minutes in the middle of its GOP
#            clock.mp4 clock.mkv       written to a pipe, with the date in the timestamps: they start in 2026
# Geometry   orient1 ... orient8.mp4   display matrix, numbered as in EXIF; all show the same upright picture, bit for bit,
#                                      because they are coded without loss, as are sar.mp4 and sar_tall.mp4
#            sar.mp4 sar_tall.mp4      pixels 4:3 (480x360 coded, 640x360 shown) and 3:4 (640x270, 480x270 shown)
#            oddsize.webm              319x179
# Faces      blinks.mp4               one face, still, which closes its eyes at 1.00 s and at 2.48 s
# GOPs       bpyramid.mp4 longgop.mp4  B-frames as references; a single GOP
#            opengop.mkv opengop.ts    open GOPs (H.264): three B-frames are shown before the keyframe that they
#                                      follow in the file; hevc_opengop.mkv is the same in HEVC
#            intrarefresh.ts           a moving column of intra blocks: after the first frame there are only recovery
#                                      points, which are not intra frames
#            hevc_layers.mp4           two temporal sub-layers; the upper one refers to pictures of the lower one that
#                                      are marked as sub-layer non-reference pictures
#            fields.ts fields.mp4      H.264 with each field in a packet of its own
# Codecs     hevc.mp4 vp8.webm vp9.webm av1.mp4 mpeg2.ts mpeg2.mpg mjpeg.avi ffv1.mkv
#            mpeg4.avi h264.avi raw.h264  B-frames without presentation timestamps
# Pixels     tenbit.mp4 yuv422.mp4 yuv444.mp4 ten422.mkv rgb.mkv gray.mp4   formats other than 8-bit 4:2:0
#            fullrange.mp4 bt601.mp4   levels 0-255; the other YUV matrix
#            interlaced.ts             two fields from two moments, top field first
# Streams    fragmented.mp4            moof after moof, with audio
#            cover.mp4 cover_audio.m4a a cover picture beside a video; beside audio alone
#            cover_huge.mkv            a cover picture that claims 60000x60000 pixels
#            side_damaged.mkv          every packet of the sound and the whole cover picture are damaged
#            twovideo.mkv audio.m4a    two videos, 640x360 and 160x90; audio alone
# Sound      sound_ac3.mkv sound_eac3.mp4 sound_dts.mkv sound_mp3.mkv sound_opus.mkv sound_flac.mkv   codecs whose packets have
#                                      room for text
# Pictures   still.png still.jpg       one picture; still_exif.jpg is stored on its side with EXIF orientation 6
#            anim.gif                  an animated GIF
#            huge.png                  a hundred bytes that claim 60000x60000 pixels
# Damage     truncated.mkv             cut off in the middle: the first part can be decoded
#            truncated_nomoov.mp4      cut off before its index: cannot be opened
#            corrupt.ts corrupt.mkv    bytes overwritten in the middle
#            text.mp4 empty.mp4        a line of text; an empty file
# Traps      playlist.m3u8 concat.txt  refer to a neighbouring file; the playlist also refers to the network
#            index.idx                 FFmpeg's demuxer opens index.sub beside it

set -euo pipefail

if (($# < 1)); then
    echo "usage: variants.sh DIRECTORY [NAME...]" >&2
    exit 2
fi
samples=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
named=("$@")

# Files are finished here, then moved, so that an interrupted run leaves no partial file.
# SVT-AV1 logs to stderr regardless of ffmpeg's log level.
export SVT_LOG=1

work=$(mktemp -d "$directory/.variants.XXXXXX")
trap 'rm -rf "$work"' EXIT

encoders=$(ffmpeg -hide_banner -v error -encoders | awk '$1 ~ /^[VA]/ { print $2 }')
exact=(-threads 2 -map_metadata -1 -flags +bitexact -fflags +bitexact)
clip=(-ss 2 -t 3 -i "$samples/faces.mp4")

run_ffmpeg() {
    ffmpeg -nostdin -hide_banner -v error -y "$@"
}

has() {
    grep -qx -- "$1" <<<"$encoders"
}

# Succeeds if the file is requested and does not exist yet.
wanted() {
    if ((${#named[@]})) && [[ " ${named[*]} " != *" $1 "* ]]; then
        return 1
    fi
    [[ ! -e $directory/$1 ]]
}

finish() {
    mv "$work/$1" "$directory/$1"
}

# encode NAME ENCODER OPTION...: only the video of the clip, with one encoder.
encode() {
    local name=$1 encoder=$2
    shift 2
    wanted "$name" || return 0
    if ! has "$encoder"; then
        echo "variants.sh: $name skipped: this ffmpeg has no encoder $encoder" >&2
        return 0
    fi
    run_ffmpeg "${clip[@]}" -an -c:v "$encoder" "$@" "${exact[@]}" "$work/$name"
    finish "$name"
}

x264() {
    local name=$1
    shift
    encode "$name" libx264 -preset veryfast -crf 23 "$@"
}

# assemble NAME OPTION...: any other ffmpeg command that writes NAME.
assemble() {
    local name=$1
    shift
    wanted "$name" || return 0
    run_ffmpeg "$@" "${exact[@]}" "$work/$name"
    finish "$name"
}

# need NAME...: makes variants from which another one is made.
need() {
    "$samples/variants.sh" "$directory" "$@"
}

# overwrite FILE: overwrites 400 bytes at three places in the middle.
overwrite() {
    local size place
    size=$(wc -c <"$1")
    for place in 45 55 65; do
        head -c 400 /dev/zero | tr '\0' 'Z' |
            dd of="$1" bs=1 seek=$((size * place / 100)) conv=notrunc status=none
    done
}

# overwrite_packets FILE: overwrites the beginning of eight consecutive packets, so that every decoder notices: even at five
# samples per second, one of them has a sampled frame.
overwrite_packets() {
    local places place number
    # Keep the header of the block, which is eight bytes long.
    mapfile -t places < <(ffprobe -v error -select_streams v -show_entries packet=pos -of csv=p=0 "$1" | grep -o '^[0-9]*')
    for number in {0..7}; do
        place=${places[${#places[@]} / 2 + number]}
        head -c 60 /dev/zero | tr '\0' 'Z' | dd of="$1" bs=1 seek=$((place + 8)) conv=notrunc status=none
    done
}

time_variants() {
    local irregular="select='lt(mod(n*7,11),6)',settb=1/1000,setpts='PTS+13*mod(N*5,3)'"
    x264 vfr.mp4 -vf "$irregular" -fps_mode vfr -enc_time_base 1:1000 -video_track_timescale 1000
    x264 vfr.mkv -vf "$irregular" -fps_mode vfr -enc_time_base 1:1000

    local small=(-c:a aac -b:a 32k -c:v libx264 -preset veryfast)
    local late=(-map 0:a -map 0:v -vf setpts=PTS+0.7/TB -fps_mode vfr)
    assemble audiofirst.mp4 "${clip[@]}" "${late[@]}" "${small[@]}"
    assemble audiofirst.mkv "${clip[@]}" "${late[@]}" "${small[@]}"
    assemble starttime.mp4 "${clip[@]}" "${small[@]}" -output_ts_offset 12.345
    assemble starttime.ts "${clip[@]}" "${small[@]}" -output_ts_offset 12.345

    if wanted editlist.mp4; then
        need longgop.mp4
        assemble editlist.mp4 -ss 1.3 -i "$directory/longgop.mp4" -c copy
    fi
    if wanted joined.ts; then
        need starttime.ts
        cat "$directory/starttime.ts" "$directory/starttime.ts" >"$work/joined.ts"
        finish joined.ts
    fi
    if wanted reset.ts; then
        need longgop.mp4
        # The last frame before the jump is a reference frame, and the first ones after it are B-frames that are shown before it.
        run_ffmpeg -i "$directory/longgop.mp4" -c copy -frames:v 22 "${exact[@]}" "$work/before.ts"
        run_ffmpeg -i "$directory/longgop.mp4" -c copy -bsf:v "noise=amount=0:drop='lt(n,22)'" \
            -output_ts_offset 500 "${exact[@]}" "$work/after.ts"
        cat "$work/before.ts" "$work/after.ts" >"$work/reset.ts"
        finish reset.ts
    fi
    assemble clock.mp4 "${clip[@]}" "${small[@]}" -output_ts_offset 1795437000 -movflags +frag_keyframe+delay_moov
    assemble clock.mkv "${clip[@]}" "${small[@]}" -output_ts_offset 1795437000 -live 1
    x264 oneframe.mp4 -frames:v 1
    # A fragmented file may have an index that lists a track, but no fragment.
    if wanted zeroframe.mp4; then
        need longgop.mp4
        assemble zeroframe.mp4 -i "$directory/longgop.mp4" -c copy -frames:v 0 -movflags +empty_moov+frag_keyframe
    fi
}

geometry_variants() {
    # The filter that makes the coded picture is the inverse of the display matrix.
    local filters=(null hflip 'hflip,vflip' vflip transpose=cclock_flip transpose=cclock transpose=clock_flip
        transpose=clock)
    local orientation name
    for orientation in 1 2 3 4 5 6 7 8; do
        name=orient$orientation.mp4
        wanted "$name" || continue
        x264 "$name" -crf 0 -vf "${filters[orientation - 1]}"
        mv "$directory/$name" "$work/$name"
        python3 "$samples/set_display_matrix.py" "$work/$name" "$orientation"
        finish "$name"
    done
    x264 sar.mp4 -crf 0 -vf scale=480:360,setsar=4/3
    x264 sar_tall.mp4 -crf 0 -vf scale=640:270,setsar=3/4
    encode oddsize.webm libvpx-vp9 -vf scale=319:179 -deadline realtime -cpu-used 8 -b:v 300k
}

gop_variants() {
    local open=(-preset fast -bf 3 -x264-params open-gop=1:keyint=28:min-keyint=28:scenecut=0:b-adapt=0)
    x264 bpyramid.mp4 -preset fast -x264-params bframes=5:b-adapt=0:b-pyramid=normal:keyint=60
    x264 longgop.mp4 -preset fast -bf 3 -x264-params keyint=infinite:scenecut=0
    x264 opengop.mkv "${open[@]}"
    x264 opengop.ts "${open[@]}"
    x264 intrarefresh.ts -x264-params intra-refresh=1:keyint=30:bframes=0:scenecut=0
    encode hevc_opengop.mkv libx265 -preset veryfast -crf 26 \
        -x265-params log-level=error:open-gop=1:keyint=30:min-keyint=30:scenecut=0:bframes=4:pools=none
    if wanted hevc_layers.mp4; then
        encode hevc_layers.mp4 libx265 -preset veryfast -crf 26 -tag:v hvc1 \
            -x265-params log-level=error:temporal-layers=1:bframes=4:b-pyramid=1:keyint=30:pools=none
        if [[ -e $directory/hevc_layers.mp4 ]]; then
            mv "$directory/hevc_layers.mp4" "$work/hevc_layers.mp4"
            python3 "$samples/mark_nonreference.py" "$work/hevc_layers.mp4"
            finish hevc_layers.mp4
        fi
    fi
    local single=cabac=0:bframes=0:weightp=0:8x8dct=0:keyint=24:min-keyint=24:scenecut=0:slices=1:threads=1
    if wanted fields.ts; then
        # 50 fields per second, at half the height.
        run_ffmpeg "${clip[@]}" -an -vf fps=50,scale=320:96 -c:v libx264 -preset veryfast -x264-params "$single" \
            "${exact[@]}" -f h264 "$work/single.h264"
        python3 "$samples/pair_fields.py" "$work/single.h264" "$work/fields.h264"
        run_ffmpeg -framerate 50 -i "$work/fields.h264" -c copy "${exact[@]}" "$work/fields.ts"
        finish fields.ts
    fi
    if wanted fields.mp4; then
        need fields.ts
        assemble fields.mp4 -i "$directory/fields.ts" -c copy
    fi
}

codec_variants() {
    encode hevc.mp4 libx265 -preset veryfast -crf 26 -tag:v hvc1 \
        -x265-params log-level=error:b-pyramid=1:bframes=4:open-gop=0:keyint=30:pools=none
    encode vp8.webm libvpx -deadline good -cpu-used 4 -b:v 400k -auto-alt-ref 1 -lag-in-frames 16 -g 30
    encode vp9.webm libvpx-vp9 -deadline good -cpu-used 6 -b:v 300k -auto-alt-ref 1 -lag-in-frames 16 -g 30
    if has libsvtav1; then
        encode av1.mp4 libsvtav1 -preset 10 -crf 40 -g 30
    else
        encode av1.mp4 libaom-av1 -cpu-used 8 -crf 40 -g 30
    fi
    encode mpeg2.ts mpeg2video -q:v 5 -bf 2 -g 15
    encode mpeg2.mpg mpeg2video -q:v 5 -bf 2 -g 15
    encode mpeg4.avi mpeg4 -q:v 5 -bf 2 -g 30 -vtag xvid
    encode mjpeg.avi mjpeg -q:v 5 -vf scale=320:180 -pix_fmt yuvj420p
    encode ffv1.mkv ffv1 -vf scale=320:180 -pix_fmt bgr0 -t 1
    x264 h264.avi -bf 2
    x264 raw.h264 -bf 2 -g 30
}

pixel_variants() {
    x264 tenbit.mp4 -pix_fmt yuv420p10le
    x264 yuv422.mp4 -pix_fmt yuv422p
    x264 yuv444.mp4 -pix_fmt yuv444p
    x264 ten422.mkv -pix_fmt yuv422p10le
    x264 gray.mp4 -pix_fmt gray
    x264 fullrange.mp4 -vf scale=out_range=pc -pix_fmt yuv420p -color_range pc
    x264 bt601.mp4 -vf colormatrix=bt709:bt601 -colorspace smpte170m
    encode rgb.mkv libx264rgb -preset veryfast -crf 23 -pix_fmt bgr24
    x264 interlaced.ts -vf tinterlace=interleave_top,setfield=tff -flags +ildct+ilme -x264-params tff=1
}

stream_variants() {
    local small=(-c:v libx264 -preset veryfast -c:a aac -b:a 32k)
    assemble fragmented.mp4 "${clip[@]}" "${small[@]}" -g 25 -movflags +frag_keyframe+empty_moov
    assemble audio.m4a "${clip[@]}" -vn -c:a aac -b:a 32k
    assemble twovideo.mkv "${clip[@]}" -map 0:v -map 0:v "${small[@]}" -filter:v:1 scale=160:90
    if wanted cover.mp4 || wanted cover_audio.m4a; then
        need still.jpg
        local cover=("${clip[@]}" -i "$directory/still.jpg")
        assemble cover.mp4 "${cover[@]}" -map 0:v -map 0:a -map 1:v "${small[@]}" -c:v:1 copy \
            -disposition:v:1 attached_pic
        assemble cover_audio.m4a "${cover[@]}" -map 0:a -map 1:v "${small[@]}" -c:v copy -disposition:v:0 attached_pic
    fi
}

sound_variants() {
    local sound name encoder
    for sound in ac3.mkv:ac3 eac3.mp4:eac3 dts.mkv:dca mp3.mkv:libmp3lame opus.mkv:libopus flac.mkv:flac; do
        name=sound_${sound%:*} encoder=${sound#*:}
        wanted "$name" || continue
        if ! has "$encoder"; then
            echo "variants.sh: $name skipped: this ffmpeg has no encoder $encoder" >&2
            continue
        fi
        assemble "$name" "${clip[@]}" -c:v libx264 -preset veryfast -c:a "$encoder" -ac 2 -ar 48000 -strict -2
    done
}

cover_variants() {
    if wanted cover_huge.mkv; then
        need huge.png
        assemble cover_huge.mkv "${clip[@]}" -c:v libx264 -preset veryfast -c:a aac -b:a 32k \
            -attach "$directory/huge.png" -metadata:s:t mimetype=image/png
    fi
    if wanted side_damaged.mkv; then
        need cover.mp4
        assemble side_damaged.mkv -i "$directory/cover.mp4" -map 0:v:0 -map 0:a -map 0:v:1 -c copy \
            -bsf:a noise=amount=1 -bsf:v:1 noise=amount=1
    fi
}

face_variants() {
    # A patch of the cheek covers each eye, with a dark line as its lashes: five frames long, then six.
    local lid="drawbox=x=7:y=15:w=44:h=2:color=0x604030@0.8:t=fill"
    local closed="enable='between(t,0.99,1.17)+between(t,2.47,2.69)'"
    assemble blinks.mp4 -ss 1 -i "$samples/faces.mp4" -an -filter_complex "select='eq(n,0)',scale=1280:720:flags=bicubic,
        crop=640:360:608:60,format=yuv444p,loop=loop=99:size=1,setpts=N/25/TB,fps=25,trim=end_frame=100,split=3[face][a][b];
        [a]crop=58:22:247:140,${lid}[right];[b]crop=58:22:338:145,${lid}[left];
        [face][right]overlay=247:111:${closed}[half];[half][left]overlay=338:116:${closed},format=yuv420p" \
        -c:v libx264 -preset veryfast -crf 16
}

picture_variants() {
    assemble still.png "${clip[@]}" -frames:v 1 -update 1
    assemble still.jpg "${clip[@]}" -frames:v 1 -update 1 -q:v 3 -pix_fmt yuvj420p
    if wanted still_exif.jpg; then
        run_ffmpeg "${clip[@]}" -vf transpose=cclock -frames:v 1 -update 1 -q:v 3 -pix_fmt yuvj420p "${exact[@]}" \
            "$work/plain.jpg"
        {
            # Start of image, then an APP1 segment: "Exif", a big-endian TIFF header, one entry: orientation = 6.
            printf '\xff\xd8\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08'
            printf '\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00'
            tail -c +3 "$work/plain.jpg"
        } >"$work/still_exif.jpg"
        finish still_exif.jpg
    fi
    local palette="scale=320:180,split[a][b];[a]palettegen[p];[b][p]paletteuse"
    assemble anim.gif "${clip[@]}" -t 1 -vf "fps=10,$palette"
    if wanted huge.png; then
        # Signature, IHDR (60000 x 60000, 8-bit grey), an IDAT with the first row, IEND.
        base64 -d >"$work/huge.png" <<END
iVBORw0KGgoAAAANSUhEUgAA6mAAAOpgCAAAAACluSqeAAAAUUlEQVR42u3BMQEAAADCoPVPbQ0P
oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AADODOphAAGbMjHtAAAAAElFTkSuQmCC
END
        finish huge.png
    fi
}

damaged_variants() {
    local name size
    if wanted truncated.mkv || wanted corrupt.mkv; then
        need opengop.mkv
    fi
    if wanted corrupt.ts; then
        need opengop.ts
    fi
    if wanted truncated.mkv; then
        size=$(wc -c <"$directory/opengop.mkv")
        head -c $((size * 6 / 10)) "$directory/opengop.mkv" >"$work/truncated.mkv"
        finish truncated.mkv
    fi
    if wanted truncated_nomoov.mp4; then
        need longgop.mp4
        size=$(wc -c <"$directory/longgop.mp4")
        head -c $((size / 2)) "$directory/longgop.mp4" >"$work/truncated_nomoov.mp4"
        finish truncated_nomoov.mp4
    fi
    for name in corrupt.ts corrupt.mkv; do
        wanted "$name" || continue
        cp "$directory/opengop.${name##*.}" "$work/$name"
        if [[ $name == *.mkv ]]; then
            overwrite_packets "$work/$name"
        else
            overwrite "$work/$name"
        fi
        finish "$name"
    done
    if wanted text.mp4; then
        echo "This is a line of text, whatever its name may say." >"$directory/text.mp4"
    fi
    if wanted empty.mp4; then
        : >"$directory/empty.mp4"
    fi
}

trap_variants() {
    if wanted playlist.m3u8; then
        need opengop.ts
        printf '%s\n' '#EXTM3U' '#EXT-X-VERSION:3' '#EXT-X-TARGETDURATION:3' '#EXTINF:3,' opengop.ts '#EXTINF:3,' \
            http://vidscan.invalid/segment.ts '#EXT-X-ENDLIST' >"$work/playlist.m3u8"
        finish playlist.m3u8
    fi
    if wanted concat.txt; then
        need bpyramid.mp4
        printf '%s\n' 'ffconcat version 1.0' 'file bpyramid.mp4' >"$work/concat.txt"
        finish concat.txt
    fi
    if wanted index.idx; then
        printf '%s\n' '# VobSub index file, v7 (do not modify this line!)' 'size: 720x576' 'id: en, index: 0' \
            'timestamp: 00:00:01:000, filepos: 000000000' >"$work/index.idx"
        finish index.idx
    fi
}

gop_variants
time_variants
geometry_variants
codec_variants
pixel_variants
stream_variants
sound_variants
face_variants
picture_variants
cover_variants
damaged_variants
trap_variants
