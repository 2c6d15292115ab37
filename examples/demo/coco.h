// Names that the two models of the demo use: COCO's 80 object classes, and the 17 points of a body with the bones between them.
#pragma once

#include <utility>

namespace tsr::demo {

inline constexpr int kPerson = 0;

inline const char* coco_name(int label) {
  static constexpr const char* kNames[80] = {
      "person",        "bicycle",      "car",           "motorcycle",    "airplane",     "bus",           "train",
      "truck",         "boat",         "traffic light", "fire hydrant",  "stop sign",    "parking meter", "bench",
      "bird",          "cat",          "dog",           "horse",         "sheep",        "cow",           "elephant",
      "bear",          "zebra",        "giraffe",       "backpack",      "umbrella",     "handbag",       "tie",
      "suitcase",      "frisbee",      "skis",          "snowboard",     "sports ball",  "kite",          "baseball bat",
      "baseball glove", "skateboard",  "surfboard",     "tennis racket", "bottle",       "wine glass",    "cup",
      "fork",          "knife",        "spoon",         "bowl",          "banana",       "apple",         "sandwich",
      "orange",        "broccoli",     "carrot",        "hot dog",       "pizza",        "donut",         "cake",
      "chair",         "couch",        "potted plant",  "bed",           "dining table", "toilet",        "tv",
      "laptop",        "mouse",        "remote",        "keyboard",      "cell phone",   "microwave",     "oven",
      "toaster",       "sink",         "refrigerator",  "book",          "clock",        "vase",          "scissors",
      "teddy bear",    "hair drier",   "toothbrush"};
  return label >= 0 && label < 80 ? kNames[label] : "unknown";
}

/// Pairs of keypoints: 0 nose, 1-2 eyes, 3-4 ears, 5-6 shoulders, 7-8 elbows, 9-10 wrists, 11-12 hips, 13-14 knees, 15-16 ankles.
inline constexpr std::pair<int, int> kSkeleton[] = {{0, 1},  {0, 2},   {1, 3},   {2, 4},   {5, 6},   {5, 7},   {7, 9},  {6, 8},
                                                    {8, 10}, {5, 11},  {6, 12},  {11, 12}, {11, 13}, {13, 15}, {12, 14}, {14, 16}};

}  // namespace tsr::demo
