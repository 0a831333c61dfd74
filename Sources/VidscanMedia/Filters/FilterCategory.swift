/// What a video filter is for, in the groups that image tools use.
public enum FilterCategory: String, Sendable, CaseIterable {
    case blur
    case colorAdjustment = "color-adjustment"
    case colorEffect = "color-effect"
    case composite, distortion, generator, geometry, gradient, halftone, sharpen, stylize, tile, transition
    case deinterlace, denoise, analysis, other

    /// Of a filter, by its name; `nil` for one that the table does not know.
    public static func of(_ filter: String) -> FilterCategory? { byName[filter] }

    private static let byName = Dictionary(
        uniqueKeysWithValues: table.flatMap { category, names in
            names.split(whereSeparator: \.isWhitespace).map { (String($0), category) }
        })

    /// Every video filter of FFmpeg 5.1, and those of later ones that are known; each once.
    private static let table: [(FilterCategory, String)] = [
        (
            .blur,
            """
            avgblur avgblur_opencl avgblur_vulkan bilateral bilateral_cuda boxblur boxblur_opencl dblur gblur
            gblur_vulkan guided sab smartblur varblur yaepblur
            """
        ),
        (
            .colorAdjustment,
            """
            colorbalance colorchannelmixer colorcontrast colorcorrect colorlevels colormap colormatrix colorspace
            colorspace_cuda colortemperature curves eq exposure grayworld greyedge haldclut histeq hue huesaturation
            limiter lut lut1d lut2 lut3d lutrgb lutyuv midequalizer normalize procamp_vaapi selectivecolor setrange
            tmidequalizer tonemap tonemap_opencl tonemap_vaapi vibrance
            """
        ),
        (
            .colorEffect,
            """
            chromaber_vulkan chromahold chromashift colorhold colorize hsvhold monochrome negate pseudocolor rgbashift
            shuffleplanes swapuv tlut2
            """
        ),
        (
            .composite,
            """
            alphaextract alphamerge ass backgroundkey blend blend_vulkan chromakey chromakey_cuda colorkey
            colorkey_opencl cover_rect despill drawbox drawbox_vaapi drawgrid drawtext extractplanes feedback framepack
            freezeframes hsvkey hysteresis limitdiff lumakey maskedclamp maskedmax maskedmerge maskedmin
            maskedthreshold maskfun mergeplanes mix multiply overlay overlay_cuda overlay_opencl overlay_qsv
            overlay_vaapi overlay_vulkan premultiply qrencode subtitles tblend threshold unpremultiply xmedian
            """
        ),
        (
            .distortion,
            """
            displace lenscorrection lensfun perspective random remap remap_opencl shear shufflepixels swaprect v360
            """
        ),
        (
            .generator,
            """
            allrgb allyuv amovie buffer cellauto color color_vulkan colorchart ddagrab frei0r_src haldclutsrc life
            mandelbrot movie mptestsrc nullsrc openclsrc pal100bars pal75bars perlin qrencodesrc rgbtestsrc sierpinski
            smptebars smptehdbars testsrc testsrc2 yuvtestsrc zoneplate
            """
        ),
        (
            .geometry,
            """
            crop epx flip_vulkan hflip hflip_vulkan hqx pad pad_cuda pad_opencl pad_vaapi rotate scale scale2ref
            scale_cuda scale_npp scale2ref_npp scale_qsv scale_vaapi scale_vt scale_vulkan scroll setdar setsar
            stereo3d super2xsai transpose transpose_cuda transpose_npp transpose_opencl transpose_vaapi transpose_vt
            transpose_vulkan vflip vflip_vulkan xbr zoompan zscale
            """
        ),
        (.gradient, "colorspectrum gradients"),
        (.halftone, "elbg palettegen paletteuse"),
        (.sharpen, "cas sharpen_npp sharpness_vaapi unsharp unsharp_opencl"),
        (
            .stylize,
            """
            amplify convolution convolution_opencl convolve deconvolve deflate dilation dilation_opencl edgedetect
            erosion erosion_opencl fftfilt fillborders floodfill geq inflate kirsch lagfun morpho noise pixelize prewitt
            prewitt_opencl roberts roberts_opencl scharr sobel sobel_opencl vignette xcorrelate
            """
        ),
        (
            .tile,
            "hstack hstack_qsv hstack_vaapi tile tiltandshift untile vstack vstack_qsv vstack_vaapi xstack xstack_qsv xstack_vaapi"
        ),
        (.transition, "fade xfade xfade_opencl xfade_vulkan"),
        (
            .deinterlace,
            """
            bwdif bwdif_cuda bwdif_vulkan decimate deinterlace_qsv deinterlace_vaapi dejudder detelecine doubleweave
            estdif field fieldhint fieldmatch fieldorder idet il interlace interlace_vulkan kerndeint nnedi phase pullup
            repeatfields separatefields setfield telecine tinterlace w3fdif weave yadif yadif_cuda yadif_videotoolbox
            """
        ),
        (
            .denoise,
            """
            atadenoise bm3d chromanr dctdnoiz deband deblock dedot deflicker delogo denoise_vaapi derain fftdnoiz fspp
            gradfun hqdn3d median median_opencl nlmeans nlmeans_opencl nlmeans_vulkan owdenoise pp pp7 removegrain
            removelogo spp tmedian uspp vaguedenoiser
            """
        ),
        (
            .analysis,
            """
            a3dscope abitscope adrawgraph agraphmonitor ahistogram aphasemeter avectorscope bbox bench bitplanenoise
            blackdetect blackframe blockdetect blurdetect ciescope codecview colordetect corr cropdetect datascope
            drawgraph ebur128 entropy find_rect freezedetect graphmonitor histogram identity libvmaf libvmaf_cuda
            mestimate metadata msad oscilloscope photosensitivity pixdesctest pixscope psnr qp quirc readeia608 readvitc
            scdet showcqt showcwt showfreqs showinfo showpalette showspatial showspectrum showspectrumpic showvolume
            showwaves showwavespic sidedata signalstats signature siti spectrumsynth ssim ssim360 thistogram vectorscope
            vfrdet vidstabdetect vif vmafmotion waveform xpsnr
            """
        ),
        (
            .other,
            """
            addroi avsynctest buffersink ccrepack concat copy cue deshake deshake_opencl dnn_classify dnn_detect
            dnn_processing fifo format framerate framestep fps frei0r fsync hwdownload hwmap hwupload hwupload_cuda
            iccdetect iccgen interleave latency libplacebo loop minterpolate mpdecimate noformat null nullsink ocr ocv
            perms program_opencl realtime reverse segment select sendcmd setparams setpts settb shuffleframes split sr
            streamselect thumbnail thumbnail_cuda tmix tpad trim vidstabtransform vpp_amf vpp_qsv zmq
            """
        ),
    ]
}
